// A scene on a canvas: orbit, zoom, pick. Python says where everything is; this projects and draws.
const COLORS = {
  light: { bodies: '#0072B2', chassis: '#8c959f', wheels: '#24292f', springs: '#D55E00', dampers: '#009E73',
    stops: '#CC79A7', 'torsion springs': '#B8860B', beams: '#7B3FA0', joints: '#0b5c8a', bushings: '#8a5a00',
    hardpoints: '#57606a', 'centres of mass': '#000000', picked: '#c4006a', ground: '#d9dee3', back: '#fbfcfd',
    text: '#24292f' },
  dark: { bodies: '#56B4E9', chassis: '#77828d', wheels: '#d0d7de', springs: '#FF8C3B', dampers: '#2fd3a3',
    stops: '#e79cc5', 'torsion springs': '#F0E442', beams: '#c9a0ee', joints: '#8fd0f5', bushings: '#e6b04d',
    hardpoints: '#a9b4bf', 'centres of mass': '#ffffff', picked: '#ff5ab0', ground: '#343b44', back: '#171b20',
    text: '#e6edf3' },
};
const WIDTH = { hair: 0.8, thin: 1.2, normal: 2.2, thick: 4 };

const turn = (q, v) => {
  const [w, x, y, z] = q;
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
};
const at = (knots, x) => {
  if (knots.length < 2) return [0, 0, 0];
  const k = Math.max(0, Math.min(knots.length - 2, Math.floor((x - knots[0]) / (knots[1] - knots[0]))));
  return [k, k + 1, Math.max(0, Math.min(1, (x - knots[k]) / (knots[k + 1] - knots[k])))];
};
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.hypot(...a) || 1; return a.map(v => v / n); };

export default {
  template: `<div class="viewer"><canvas ref="canvas" tabindex="0" role="img" :aria-label="label"
    @pointerdown="down" @pointermove="move" @pointerup="up" @wheel.prevent="wheel" @keydown="key"></canvas></div>`,
  props: { src: String, label: String, run: String, hidden: Array, dark: Boolean },
  data: () => ({ ready: false }),
  async mounted() {
    Object.assign(this, { camera: { turn: 0.75, lift: 0.42, distance: 0 }, pose: null, time: 0, picked: null, drag: null });
    this.pen = this.$refs.canvas.getContext('2d');
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.$refs.canvas);
    const answer = await fetch(window.path_prefix ? window.path_prefix + this.src : this.src);
    if (!answer.ok) return;
    const data = await answer.json();
    this.all = data;
    this.scene = data.scene || data;
    this.axles = data.axles || {};
    this.frames = data.runs && this.run ? data.runs[this.run] : null;
    this.tyres = data.tyres || {};
    const xs = this.scene.items.flatMap(i => i.points);
    const low = [0, 1, 2].map(k => Math.min(...xs.map(p => p[k]))), high = [0, 1, 2].map(k => Math.max(...xs.map(p => p[k])));
    this.middle = low.map((v, k) => (v + high[k]) / 2);
    this.size = Math.hypot(...low.map((v, k) => high[k] - v));
    this.camera.distance = (this.frames ? 1.45 : 1.0) * this.size;
    this.ready = true;
    this.$refs.canvas.dataset.ready = 'yes';
    this.draw();
  },
  unmounted() { if (this.watcher) this.watcher.disconnect(); cancelAnimationFrame(this.pending); },
  watch: { dark() { this.draw(); }, hidden() { this.draw(); } },
  methods: {
    set_pose(axle, travel, rack) { this.pose = { axle, travel, rack }; this.draw(); },
    set_time(time) { this.time = time; this.draw(); },
    set_view(turn, lift) { this.camera.turn = turn; this.camera.lift = lift; this.draw(); },
    pick_name(name) { this.picked = name || null; this.draw(); },
    draw() { cancelAnimationFrame(this.pending); this.pending = requestAnimationFrame(() => this.paint()); },
    place() {  // where bodies are on the rig now: a function of body and point
      if (!this.pose || !this.axles[this.pose.axle]) return null;
      const rig = this.axles[this.pose.axle];
      const [i, j, s] = at(rig.travel, this.pose.travel), [m, n, t] = at(rig.rack, this.pose.rack);
      const found = {};
      return body => {
        if (body in found) return found[body];
        const table = rig.bodies[body];
        if (!table) return found[body] = null;
        const corners = [[i, m, (1 - s) * (1 - t)], [j, m, s * (1 - t)], [i, n, (1 - s) * t], [j, n, s * t]];
        const mixed = [0, 0, 0, 0, 0, 0, 0];
        for (const [a, b, share] of corners) {
          if (!share) continue;
          const pose = table.poses[a] && table.poses[a][b];
          if (!pose) return found[body] = null;
          pose.forEach((v, k) => { mixed[k] += share * v; });
        }
        const n4 = Math.hypot(...mixed.slice(3)) || 1;
        return found[body] = { centre: table.centre, place: mixed.slice(0, 3), q: mixed.slice(3).map(v => v / n4) };
      };
    },
    moved(item, where) {
      if (!where || !item.bodies.length) return item.points;
      const [a, b] = item.bodies.map(where);
      if (!a && !b) return item.points;
      const go = (pose, p) => pose ? turn(pose.q, p.map((v, k) => v - pose.centre[k])).map((v, k) => v + pose.place[k]) : p;
      if (item.bodies.length === 1 || !item.share) return item.points.map(p => go(a, p));
      return item.points.map((p, k) => {
        const s = item.share[k], u = go(a, p), v = go(b, p);
        return u.map((x, n) => (1 - s) * x + s * v[n]);
      });
    },
    frame() {  // of a run: from V to E at this time, and the wheels
      const f = this.frames;
      let k = 0;
      while (k < f.time.length - 1 && f.time[k + 1] <= this.time) k += 1;
      return k;
    },
    project(p) {
      const c = Math.cos(this.camera.heading), s = Math.sin(this.camera.heading);
      const dx = p[0] - this.focus[0], dy = p[1] - this.focus[1], dz = p[2] - this.focus[2];
      const away = c * dx + s * dy, side = s * dx - c * dy;
      const cl = Math.cos(this.camera.lift), sl = Math.sin(this.camera.lift);
      const depth = this.camera.distance + away * cl - dz * sl;
      if (depth < 0.15) return null;
      const scale = 1.15 * this.high / depth;
      return [this.wide / 2 + side * scale, this.high * 0.47 - (away * sl + dz * cl) * scale, depth];
    },
    paint() {
      const canvas = this.$refs.canvas;
      if (!canvas) return;
      const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
      this.wide = canvas.width = Math.max(1, Math.round(box.width * ratio));
      this.high = canvas.height = Math.max(1, Math.round(box.height * ratio));
      const color = COLORS[this.dark ? 'dark' : 'light'], pen = this.pen;
      pen.fillStyle = color.back; pen.fillRect(0, 0, this.wide, this.high);
      if (!this.ready) return;
      this.focus = this.middle; this.camera.heading = this.camera.turn + Math.PI;
      let shift = p => p;
      const hidden = new Set(this.hidden || []), k = this.frames ? this.frame() : 0;
      if (this.frames) {
        const o = this.frames.origin[k], r = this.frames.rotation[k];
        shift = p => [0, 1, 2].map(i => o[i] + r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2]);
        this.focus = shift(this.middle);
        this.camera.heading = this.camera.turn + Math.PI + Math.atan2(r[3], r[0]);
        this.grid(color);
      } else this.stroke([...this.scene.ground, this.scene.ground[0]], color.ground, 1.5 * ratio);
      for (const mesh of this.scene.meshes || []) this.mesh(mesh, color);
      const where = this.place();
      this.targets = [];
      for (const item of this.scene.items) {
        if (hidden.has(item.layer) || (this.frames && item.layer === 'wheels')) continue;
        const points = this.moved(item, where).map(shift);
        const chosen = this.picked && this.picked === item.name;
        const ink = chosen ? color.picked : (color[item.layer] || color.text);
        if (points.length === 1) {
          const q = this.project(points[0]);
          if (!q) continue;
          const r = (chosen ? 6 : item.layer === 'hardpoints' ? 2 : 3.4) * ratio;
          pen.fillStyle = ink; pen.beginPath(); pen.arc(q[0], q[1], r, 0, 7); pen.fill();
          this.targets.push([q[0], q[1], item, 0]);
        } else {
          this.stroke(points, ink, (chosen ? 1.8 : 1) * (WIDTH[item.weight] || 2) * ratio, item);
        }
      }
      if (this.frames) for (const [corner, w] of Object.entries(this.frames.wheels)) this.wheelAt(w, k, this.tyres[corner], color);
    },
    stroke(points, ink, width, item) {
      const pen = this.pen;
      pen.strokeStyle = ink; pen.lineWidth = width; pen.lineJoin = 'round'; pen.beginPath();
      let before = null;
      for (const p of points) {
        const q = this.project(p);
        if (q) {
          if (before) pen.lineTo(q[0], q[1]); else pen.moveTo(q[0], q[1]);
          if (item && this.targets) this.targets.push([q[0], q[1], item, before]);
        }
        before = q;
      }
      pen.stroke();
    },
    grid(color) {
      const cell = 5, reach = 40, x0 = Math.round(this.focus[0] / cell) * cell, y0 = Math.round(this.focus[1] / cell) * cell;
      for (let a = -reach; a <= reach; a += cell) for (let b = -reach; b < reach; b += cell) {
        this.stroke([[x0 + a, y0 + b, 0], [x0 + a, y0 + b + cell, 0]], color.ground, 1);
        this.stroke([[x0 + b, y0 + a, 0], [x0 + b + cell, y0 + a, 0]], color.ground, 1);
      }
    },
    wheelAt(w, k, tyre, color) {
      const centre = w.centre[k], axis = w.axis[k], ahead = unit(cross(axis, [0, 0, 1])), up = cross(ahead, axis);
      for (const [radius, offset] of [[tyre.radius, -0.5], [tyre.radius, 0.5], [tyre.rim, 0.5]]) {
        const ring = [];
        for (let n = 0; n <= 32; ++n) {
          const a = 2 * Math.PI * n / 32;
          ring.push(centre.map((v, i) => v + axis[i] * offset * tyre.width + radius * (ahead[i] * Math.cos(a) + up[i] * Math.sin(a))));
        }
        this.stroke(ring, color.wheels, 1.4 * (window.devicePixelRatio || 1));
      }
      const foot = centre.map((v, i) => i === 2 ? 0 : v);
      const force = w.force[k].map(v => v / 5000);
      this.stroke([foot, foot.map((v, i) => v + force[i])], color.springs, 2.4 * (window.devicePixelRatio || 1));
    },
    mesh(mesh, color) {
      const flat = mesh.triangles.map(t => t.map(p => this.project(p))).filter(t => t.every(Boolean));
      flat.sort((a, b) => (b[0][2] + b[1][2] + b[2][2]) - (a[0][2] + a[1][2] + a[2][2]));
      this.pen.globalAlpha = 0.35; this.pen.fillStyle = color.bodies;
      for (const t of flat) { this.pen.beginPath(); this.pen.moveTo(...t[0]); this.pen.lineTo(t[1][0], t[1][1]); this.pen.lineTo(t[2][0], t[2][1]); this.pen.fill(); }
      this.pen.globalAlpha = 1;
    },
    down(e) { this.drag = [e.clientX, e.clientY, 0]; e.target.setPointerCapture(e.pointerId); },
    move(e) {
      if (!this.drag) return;
      const dx = e.clientX - this.drag[0], dy = e.clientY - this.drag[1];
      this.drag = [e.clientX, e.clientY, this.drag[2] + Math.abs(dx) + Math.abs(dy)];
      this.camera.turn -= 0.008 * dx;
      this.camera.lift = Math.max(-1.5, Math.min(1.55, this.camera.lift + 0.008 * dy));
      this.draw();
    },
    up(e) {
      const still = this.drag && this.drag[2] < 5;
      this.drag = null;
      if (!still || !this.targets) return;
      const ratio = window.devicePixelRatio || 1, box = this.$refs.canvas.getBoundingClientRect();
      const x = (e.clientX - box.left) * ratio, y = (e.clientY - box.top) * ratio;
      let best = null, near = 14 * ratio;
      for (const [qx, qy, item, from] of this.targets) {
        let d = Math.hypot(qx - x, qy - y) - (from === 0 ? 4 * ratio : 0);
        if (from) {
          const wx = qx - from[0], wy = qy - from[1], l = wx * wx + wy * wy || 1;
          const s = Math.max(0, Math.min(1, ((x - from[0]) * wx + (y - from[1]) * wy) / l));
          d = Math.hypot(from[0] + s * wx - x, from[1] + s * wy - y);
        }
        if (d < near) { near = d; best = item; }
      }
      this.picked = best ? best.name : null;
      this.$refs.canvas.dataset.picked = this.picked || '';
      this.$emit('pick', best ? { name: best.name, layer: best.layer, details: best.details, kind: best.kind || '' } : null);
      this.draw();
    },
    wheel(e) { this.camera.distance *= Math.exp(0.001 * e.deltaY); this.draw(); },
    key(e) {
      const steps = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };
      if (e.key in steps) { this.camera.turn += steps[e.key][0]; this.camera.lift += steps[e.key][1]; }
      else if (e.key === '+') this.camera.distance *= 0.9;
      else if (e.key === '-') this.camera.distance *= 1.1;
      else return;
      e.preventDefault();
      this.draw();
    },
  },
};
