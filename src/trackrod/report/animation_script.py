"""Style and script of the page of an animation: perspective projection on a canvas, nothing else."""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 1320px; margin: 1.2rem auto;
padding: 0 1.5rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } p.lead, footer { color: #57606a; } footer { font-size: .85rem; }
#stage { position: relative; } canvas { width: 100%; height: 62vh; border: 1px solid #d9dee3; touch-action: none;
cursor: grab; display: block; } #readings { position: absolute; top: .6rem; left: .8rem;
font-variant-numeric: tabular-nums;
background: rgba(255, 255, 255, .8); padding: .3rem .6rem; pointer-events: none; white-space: pre; }
#controls { display: flex; gap: 1rem; align-items: center; margin: .7rem 0; } #slider { flex: 1; }
#play { min-width: 5rem; font: inherit; }
"""

SCRIPT = r"""
const canvas = document.getElementById('view'), pen = canvas.getContext('2d');
const element = id => document.getElementById(id);
const last = run.time.length - 1, period = (run.time[last] - run.time[0]) / last;
const camera = {turn: -0.7, lift: 0.32, distance: 8, x: 0, y: 0};
let now = 0, playing = false, before = 0;

const add = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.hypot(...a) || 1; return a.map(v => v / n); };
const mix = (list, i, s) => list[i].map ? list[i].map((v, k) => v + s * (list[Math.min(i + 1, last)][k] - v))
                                        : list[i] + s * (list[Math.min(i + 1, last)] - list[i]);

function project(p) {
  const c = Math.cos(camera.heading), s = Math.sin(camera.heading);
  const dx = p[0] - camera.x, dy = p[1] - camera.y, dz = p[2] - 0.6;
  const away = c * dx + s * dy, side = s * dx - c * dy;
  const cl = Math.cos(camera.lift), sl = Math.sin(camera.lift);
  const depth = camera.distance + away * cl - dz * sl, height = away * sl + dz * cl;
  if (depth < 0.3) return null;
  const scale = 1.1 * canvas.height / depth;
  return [canvas.width / 2 + side * scale, canvas.height * 0.52 - height * scale, depth];
}
function line(points, color, width, fill) {
  const flat = points.map(project);
  pen.beginPath();
  let open = false;
  for (const q of flat) {
    if (!q) { open = false; continue; }
    if (open) pen.lineTo(q[0], q[1]); else pen.moveTo(q[0], q[1]);
    open = true;
  }
  if (fill && flat.every(Boolean)) { pen.closePath(); pen.fillStyle = fill; pen.fill(); }
  if (color) { pen.strokeStyle = color; pen.lineWidth = width * (window.devicePixelRatio || 1); pen.stroke(); }
}
function ground() {
  const cell = 5, reach = 60, x0 = Math.round(camera.x / cell) * cell, y0 = Math.round(camera.y / cell) * cell;
  for (let k = -reach; k <= reach; k += cell) {
    for (let m = -reach; m < reach; m += cell) {
      line([[x0 + k, y0 + m, 0], [x0 + k, y0 + m + cell, 0]], '#e4e8ec', 1);
      line([[x0 + m, y0 + k, 0], [x0 + m + cell, y0 + k, 0]], '#e4e8ec', 1);
    }
  }
}
function wheelFaces(w, i, s) {
  const centre = mix(w.centre, i, s), axis = unit(mix(w.axis, i, s)), angle = mix(w.angle, i, s);
  const ahead = unit(cross(axis, [0, 0, 1])), up = cross(ahead, axis);
  const ring = (radius, offset) => Array.from({length: 33}, (_, k) => {
    const a = 2 * Math.PI * k / 32;
    return add(add(add(centre, axis, offset), ahead, radius * Math.cos(a)), up, radius * Math.sin(a));
  });
  const spokes = offset => Array.from({length: 5}, (_, k) => {
    const a = 2 * Math.PI * k / 5 + angle, middle = add(centre, axis, offset);
    return [middle, add(add(middle, ahead, w.rim * Math.sin(a)), up, w.rim * Math.cos(a))];
  });
  return {centre, draw: () => {
    const inner = ring(w.radius, -w.width / 2), outer = ring(w.radius, w.width / 2);
    for (let k = 0; k < 32; ++k) line([inner[k], inner[k + 1], outer[k + 1], outer[k]], null, 0, 'rgba(60,66,74,.55)');
    for (const offset of [-w.width / 2, w.width / 2]) {
      line(ring(w.radius, offset), '#24292f', 1.4, 'rgba(60,66,74,.55)');
      line(ring(w.rim, offset), '#8c959f', 1, 'rgba(208,215,222,.7)');
      for (const spoke of spokes(offset)) line(spoke, '#57606a', 1.6);
    }
  }};
}
function bodyFaces(i, s) {
  const o = mix(run.origin, i, s), R = mix(run.rotation, i, s), b = run.body;
  const place = (x, y, z) => [0, 1, 2].map(k => o[k] + R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z);
  const left = b.side.map(p => place(p[0], b.half, p[1])), right = b.side.map(p => place(p[0], -b.half, p[1]));
  const faces = [left, right];
  for (let k = 0; k < left.length; ++k) {
    const n = (k + 1) % left.length;
    faces.push([left[k], left[n], right[n], right[k]]);
  }
  return faces.map(face => ({centre: face.reduce((a, p) => add(a, p, 1 / face.length), [0, 0, 0]), draw: () =>
    line([...face, face[0]], '#0969da', 1.2, 'rgba(84,160,255,.16)')}));
}
function arrows(i, s) {
  for (const w of run.wheels) {
    const from = mix(w.contact, i, s), force = mix(w.force, i, s);
    const to = add(from, force, 2 * w.radius / run.static_load);
    line([from, to], '#cf222e', 3);
    const a = project(from), b = project(to);
    if (!a || !b) continue;
    const angle = Math.atan2(b[1] - a[1], b[0] - a[0]), size = 8 * (window.devicePixelRatio || 1);
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) < size) continue;
    pen.beginPath();
    pen.moveTo(b[0], b[1]);
    for (const a of [angle + 2.7, angle - 2.7]) pen.lineTo(b[0] + size * Math.cos(a), b[1] + size * Math.sin(a));
    pen.closePath(); pen.fillStyle = '#cf222e'; pen.fill();
  }
}
function draw() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
  const i = Math.min(Math.floor(now), last), s = Math.min(now - i, 1);
  const R = mix(run.rotation, i, s), o = mix(run.place, i, s);
  if (element('follow').checked) { camera.x = o[0]; camera.y = o[1];
    camera.heading = camera.turn + Math.atan2(R[3], R[0]); }
  ground();
  line(run.place.map(p => [p[0], p[1], 0]), '#bf8700', 1.5);
  line(run.place.slice(0, i + 1).map(p => [p[0], p[1], 0]), '#bf8700', 3.5);
  const parts = [...bodyFaces(i, s), ...run.wheels.map(w => wheelFaces(w, i, s))];
  const depth = part => { const q = project(part.centre); return q ? q[2] : 0; };
  for (const part of parts.sort((a, b) => depth(b) - depth(a))) part.draw();
  if (element('forces').checked) arrows(i, s);
  const t = run.time[0] + now * period;
  element('readings').textContent = ['time ' + t.toFixed(2) + ' s',
    ...run.readings.map(r => r.label + ' ' + mix(r.values, i, s).toFixed(1) + ' ' + r.unit)].join('\n');
  element('slider').value = i;
}
function tick(stamp) {
  if (playing) {
    now += (stamp - before) / 1000 / period * Number(element('speed').value);
    if (now >= last) { now = last; play(false); }
    draw();
  }
  before = stamp;
  requestAnimationFrame(tick);
}
function play(wanted) {
  if (wanted && now >= last) now = 0;
  playing = wanted;
  element('play').textContent = wanted ? 'pause' : 'play';
}
element('slider').max = last;
element('slider').oninput = e => { play(false); now = Number(e.target.value); draw(); };
element('play').onclick = () => play(!playing);
for (const id of ['forces', 'follow']) element(id).onchange = draw;
document.addEventListener('keydown', e => {
  if (e.key === ' ' && e.target === document.body) { e.preventDefault(); play(!playing); }
});
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (!e.buttons) return;
  camera.turn += e.movementX * 0.006; camera.heading += e.movementX * 0.006;
  camera.lift = Math.min(1.5, Math.max(0.02, camera.lift + e.movementY * 0.005));
  draw();
};
canvas.addEventListener('wheel', e => {
  e.preventDefault();
  camera.distance = Math.min(80, Math.max(3, camera.distance * Math.exp(e.deltaY * 0.001)));
  draw();
}, {passive: false});
window.onresize = draw;
const wanted = Number(location.hash.slice(1));
if (wanted > 0) now = Math.min(last, (wanted - run.time[0]) / period);
camera.heading = camera.turn;
draw();
requestAnimationFrame(tick);
"""
