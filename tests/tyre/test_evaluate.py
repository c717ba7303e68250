"""Forces and moments: against MFeval, against the NumPy twin, symmetries, derivatives, hard corners."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.tyre import INPUTS, OUTPUTS, Tyre, TyreProperties, Tyreside, Version, load_tyre, read_tir, twin
from trackrod.tyre.samples import SAMPLES

TWIN_TOLERANCE = 1e-12  # of each output's peak: the same formulas, rounded differently
MFEVAL_TOLERANCE = 1e-6  # of each output's peak: what the reference promises
REFERENCE_TYRE = "tyres/matheusft_MFeval_julia/test/fixtures/MagicFormula61_Parameters.tir"


def general_points(tyre: Tyre, n: int = 4000, seed: int = 0) -> dict[str, np.ndarray]:
    """Contacts without zeros, beyond all ranges, in both directions; the first ones near and at standstill."""
    rng = np.random.default_rng(seed)
    points = {
        "Fz": rng.uniform(-200.0, 2.5 * tyre.nominal_load, n),
        "kappa": rng.uniform(-1.3, 1.3, n),
        "alpha": rng.uniform(-1.5, 1.5, n),
        "gamma": rng.uniform(-0.35, 0.35, n),
        "Vx": rng.uniform(-45.0, 45.0, n),
        "p": rng.uniform(0.7, 1.4, n) * tyre.pressure,
        "mu": rng.uniform(0.1, 1.2, n),
    }
    slow = n // 8
    points["Vx"][:slow] = rng.uniform(-1.5, 1.5, slow)
    points["Vx"][:20] = 0.0
    points["kappa"][10:40] = 0.0
    points["alpha"][30:60] = 0.0
    points["gamma"][50:80] = 0.0
    return points


def clipped(properties: TyreProperties, points: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    c = properties.coefficients
    if properties.version is Version.PAC89:
        return points
    ranges = {"kappa": "KPU", "alpha": "ALP", "gamma": "CAM", "p": "PRES"}
    limited = {name: np.clip(points[name], c[f"{key}MIN"], c[f"{key}MAX"]) for name, key in ranges.items()}
    return {**points, **limited, "Fz": np.minimum(points["Fz"], c["FZMAX"])}


# ------------------------------------------------------------------------------------------- second answers


@pytest.fixture(scope="module")
def mfeval(shared_data: Path) -> dict[str, np.ndarray]:
    with (shared_data / "reference" / "mfeval_mf61.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name not in ("id", "kind")}


def assert_of_peak(actual: np.ndarray, expected: np.ndarray, tolerance: float, what: str) -> None:
    error = np.abs(actual - expected).max() / np.abs(expected).max()
    assert error <= tolerance, f"{what}: {error:.2e} of the peak"


def test_mfeval_forces(shared_data: Path, mfeval: dict[str, np.ndarray]) -> None:
    tyre = load_tyre(shared_data / REFERENCE_TYRE)
    inputs = [mfeval[name] for name in ("Fz_N", "kappa", "alpha_rad", "gamma_rad", "Vx_mps", "p_Pa")]
    forces = tyre.evaluate(*inputs, limits=False)
    columns = {
        **{
            "Fx": "Fx_N",
            "Fy": "Fy_N",
            "Mx": "Mx_Nm",
            "My": "My_Nm",
            "Mz": "Mz_Nm",
            "mux": "mux",
            "muy": "muy",
        },
        **{"Kxk": "Kxk", "Kya": "Kya", "sigma_x": "sigmax", "sigma_y": "sigmay"},
    }
    for output, column in columns.items():
        assert_of_peak(getattr(forces, output), mfeval[column], MFEVAL_TOLERANCE, output)


def test_mfeval_radius_and_deflection(shared_data: Path, mfeval: dict[str, np.ndarray]) -> None:
    tyre = load_tyre(shared_data / REFERENCE_TYRE)
    Fz, p = mfeval["Fz_N"], mfeval["p_Pa"]
    omega = tyre.rolling_speed(Fz, mfeval["kappa"], mfeval["Vx_mps"], p)
    assert_of_peak(tyre.effective_radius(Fz, omega, p), mfeval["Re_m"], MFEVAL_TOLERANCE, "Re")
    rho = tyre.deflection(Fz, omega, mfeval["Fx_N"], mfeval["Fy_N"], mfeval["gamma_rad"], p)
    assert_of_peak(rho, mfeval["rho_m"], MFEVAL_TOLERANCE, "rho")


def test_mfeval_control_fails_with_swapped_sign(shared_data: Path, mfeval: dict[str, np.ndarray]) -> None:
    """The comparison above can fail: a wrong sign of the inclination angle is seen."""
    tyre = load_tyre(shared_data / REFERENCE_TYRE)
    inputs = [mfeval[name] for name in ("Fz_N", "kappa", "alpha_rad", "gamma_rad", "Vx_mps", "p_Pa")]
    inputs[3] = -inputs[3]
    with pytest.raises(AssertionError):
        assert_of_peak(tyre.evaluate(*inputs, limits=False).Fy, mfeval["Fy_N"], MFEVAL_TOLERANCE, "Fy")


@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("mounted", [None, Side.LEFT, Side.RIGHT])
def test_twin(sample: Path, limits: bool, mounted: Side | None) -> None:
    properties = read_tir(sample)
    tyre = Tyre(properties, mounted)
    points = general_points(tyre)
    forces = tyre.evaluate(**points, limits=limits)
    expected = twin.evaluate(
        properties.version,
        properties.coefficients,
        **(clipped(properties, points) if limits else points),
        limits=limits,
        mirrored=tyre.mirrored,
    )
    assert set(expected) == set(OUTPUTS)
    for name in OUTPUTS:
        assert np.isfinite(getattr(forces, name)).all()
        assert_of_peak(getattr(forces, name), expected[name], TWIN_TOLERANCE, name)


def test_twin_with_all_scale_factors(sample: Path) -> None:
    """Scale factors of one hide a forgotten one: every factor gets a value of its own."""
    properties = read_tir(sample)
    factors = [name for name in properties.names if name.startswith("L") and len(name) <= 5]
    factors = [name for name in factors if name != "LMUV"]
    scaled = properties.with_values(**{name: 0.8 + 0.02 * i for i, name in enumerate(factors)})
    if "LMUV" in scaled.coefficients:
        scaled = scaled.with_values(LMUV=0.3)
    tyre = Tyre(scaled)
    points = general_points(tyre, seed=3)
    forces = tyre.evaluate(**points, limits=False)
    expected = twin.evaluate(scaled.version, scaled.coefficients, **points)
    for name in OUTPUTS:
        assert_of_peak(getattr(forces, name), expected[name], TWIN_TOLERANCE, name)


def test_every_coefficient_counts(sample: Path) -> None:
    """Each coefficient of a formula moves something: none is read and then forgotten."""
    properties = read_tir(sample)
    zeros = {name: 0.03 for name in properties.names if properties.coefficients[name] == 0.0}
    properties = properties.with_values(**zeros)  # a factor of zero would hide its neighbours
    tyre = Tyre(properties)
    points = general_points(tyre, 400)
    slow = {**points, "Vx": np.linspace(-1.0, 1.0, 400)}
    fast = {name: values for name, values in points.items() if name != "mu"}
    silent = []
    ranges = {f"{key}{end}" for key in ("PRES", "KPU", "ALP", "CAM", "FZ") for end in ("MIN", "MAX")}
    vertical = {
        "rho": np.linspace(0.0, 0.2, 400),
        "rho_dot": 0.1,
        "omega": 40.0,
        "Fx": 900.0,
        "Fy": 1500.0,
        "gamma": 0.1,
    }
    for item in properties.declarations:
        if properties.version not in item.versions or item.name in ranges or item.name == "INFLPRES":
            continue
        value = properties.coefficients[item.name]
        other = Tyre(properties.with_values(**{item.name: value * 1.013 + 0.0017}))
        results = [
            [
                *t.evaluate(**points),
                *t.evaluate(**slow),
                *t.evaluate(**fast, limits=False),
                t.vertical_force(**vertical, p=1.1 * tyre.pressure),
                t.effective_radius(points["Fz"], 30.0),
            ]
            for t in (tyre, other)
        ]
        if all(np.array_equal(a, b) for a, b in zip(*results, strict=True)):
            silent.append(item.name)
    # Used only with a curve, or only where the file has no formula of its own for the relaxation length.
    conditional = {"BOTTOMING_RADIUS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"}
    if properties.version is Version.PAC89:
        conditional = {"WIDTH", "ASPECT_RATIO", "RIM_RADIUS"}
    if properties.version in (Version.MF52, Version.MF61):
        conditional |= {"WIDTH", "ASPECT_RATIO"}  # the camber term of the vertical force came with MF 6.2
    assert set(silent) <= conditional, silent


# ------------------------------------------------------------------------------------------- signs and symmetries


def test_signs(sample: Path) -> None:
    """ISO-W: the contact point moving left pushes the tyre right; driving pushes it forward."""
    tyre = load_tyre(sample)
    Fz = tyre.nominal_load
    assert tyre.evaluate(Fz, alpha=0.05).Fy < 0
    assert tyre.evaluate(Fz, alpha=-0.05).Fy > 0
    assert tyre.evaluate(Fz, kappa=0.05).Fx > 0
    assert tyre.evaluate(Fz, kappa=-0.05).Fx < 0
    assert tyre.evaluate(Fz, alpha=0.03).Mz > 0  # turns the wheel into the direction of travel
    assert tyre.evaluate(Fz).My < 0  # against the rotation
    assert tyre.evaluate(Fz, Vx=-10.0).My > 0
    tilt = tyre.evaluate(Fz, gamma=0.1).Fy - tyre.evaluate(Fz, gamma=-0.1).Fy
    assert tilt < 0  # a wheel that leans to the right is pushed to the right


def test_left_and_right_are_mirror_images(sample: Path) -> None:
    properties = read_tir(sample)
    left, right = Tyre(properties, Side.LEFT), Tyre(properties, Side.RIGHT)
    assert left.mirrored != right.mirrored
    points = general_points(left)
    mirrored = {**points, "alpha": -points["alpha"], "gamma": -points["gamma"]}
    a, b = left.evaluate(**points), right.evaluate(**mirrored, limits=True)
    signs = {"Fy": -1.0, "Mx": -1.0, "Mz": -1.0}
    for name in OUTPUTS:
        np.testing.assert_array_equal(getattr(a, name), signs.get(name, 1.0) * getattr(b, name), err_msg=name)


def test_symmetric_tyre(sample: Path) -> None:
    tyre = Tyre(read_tir(sample).symmetric())
    points = general_points(tyre)
    a = tyre.evaluate(**points, limits=False)
    b = tyre.evaluate(**{**points, "alpha": -points["alpha"], "gamma": -points["gamma"]}, limits=False)
    for name in ("Fx", "My", "mux", "Kxk", "sigma_x"):
        assert_of_peak(getattr(a, name), getattr(b, name), 1e-13, name)
    for name in ("Fy", "Mx", "Mz"):
        assert_of_peak(getattr(a, name), -getattr(b, name), 1e-13, name)


def test_symmetric_tyre_runs_straight(sample: Path) -> None:
    forces = Tyre(read_tir(sample).symmetric()).evaluate(3000.0)
    assert forces.Fy == 0
    assert forces.Mz == 0
    assert load_tyre(sample).evaluate(3000.0).Fy != 0  # the real one does not


def test_tyreside_symmetric_of_a_file_acts(sample: Path) -> None:
    properties = read_tir(sample)
    marked = TyreProperties(properties.version, properties.coefficients, tyreside=Tyreside.SYMMETRIC)
    assert Tyre(marked).evaluate(3000.0).Fy == 0


def test_reverse_is_forward_seen_from_behind(sample: Path) -> None:
    tyre = load_tyre(sample)
    points = general_points(tyre)
    forward = {**points, "Vx": np.abs(points["Vx"]) + 0.01}
    backward = {**forward, "Vx": -forward["Vx"], "alpha": -points["alpha"], "gamma": -points["gamma"]}
    a, b = tyre.evaluate(**forward, limits=False), tyre.evaluate(**backward, limits=False)
    for name in ("Fx", "Fy", "Mx", "My"):
        np.testing.assert_array_equal(getattr(a, name), -getattr(b, name))
    np.testing.assert_array_equal(a.Mz, b.Mz)


def test_standstill_is_continuous(sample: Path) -> None:
    """In the limits, forces pass through zero speed without a jump at the same lagged slip."""
    tyre = load_tyre(sample)
    Fz, slip = tyre.nominal_load, 0.02
    speeds = np.array([-1e-3, -1e-9, 0.0, 1e-9, 1e-3])
    forces = tyre.evaluate(Fz, kappa=slip * np.where(speeds < 0, -1, 1), alpha=0.02, gamma=0.03, Vx=speeds)
    for name in ("Fx", "Fy", "Mx", "My", "Mz"):
        values = getattr(forces, name)
        scale = max(np.abs(values).max(), 10.0)
        assert np.abs(np.diff(values)).max() < 5e-3 * scale, (name, values)


def test_friction_factor_scales_the_peak(sample: Path) -> None:
    tyre = Tyre(read_tir(sample).symmetric())
    alpha = np.linspace(0.0, 0.6, 200)
    dry, wet = (np.abs(tyre.evaluate(3000.0, alpha=alpha, mu=mu).Fy).max() for mu in (1.0, 0.4))
    assert wet == pytest.approx(0.4 * dry, rel=2e-2)
    slopes = [tyre.derivatives(("alpha",), 3000.0, mu=mu).of("Fy", "alpha") for mu in (1.0, 0.4)]
    assert slopes[1] == pytest.approx(slopes[0], rel=1e-3)  # stiffness belongs to the tyre, not to the road


# ------------------------------------------------------------------------------------------- closed forms


def test_cornering_stiffness_is_the_slope(sample: Path) -> None:
    """Kya and Kxk are what they are called: the slopes at zero slip of a tyre without shifts."""
    tyre = Tyre(read_tir(sample).symmetric().with_values(**_no_shifts(sample)))
    slope = tyre.derivatives(("alpha", "kappa"), np.linspace(500.0, 6000.0, 12))
    np.testing.assert_allclose(slope.of("Fy", "alpha"), slope.forces.Kya, rtol=1e-6)
    np.testing.assert_allclose(slope.of("Fx", "kappa"), slope.forces.Kxk, rtol=1e-6)


def _no_shifts(sample: Path) -> dict[str, float]:
    names = ("PHX1", "PHX2", "PVX1", "PVX2", "RHY1", "RHY2", "b9", "b10")
    return {name: 0.0 for name in names if name in read_tir(sample).names}


def test_peak_is_friction_times_load() -> None:
    tyre = Tyre(read_tir(SAMPLES["car_mf61"]).symmetric().with_values(PVX1=0.0, PVX2=0.0))
    alpha = np.linspace(0.0, 0.5, 5001)
    forces = tyre.evaluate(4500.0, alpha=alpha)
    assert np.abs(forces.Fy).max() == pytest.approx(float(forces.muy[0]) * 4500.0, rel=1e-6)


def test_pac89_closed_form() -> None:
    """SAE 890087 by hand at one point: kN, degrees and percent inside."""
    c = read_tir(SAMPLES["car_pac89"]).coefficients
    Fz, alpha_deg = 4.0, 3.0
    D = c["a1"] * Fz**2 + c["a2"] * Fz
    B = c["a3"] * np.sin(2 * np.arctan(Fz / c["a4"])) / (c["a0"] * D)
    x = alpha_deg + c["a9"] * Fz + c["a10"]
    E = c["a6"] * Fz + c["a7"]
    Fy = D * np.sin(c["a0"] * np.arctan(B * x - E * (B * x - np.arctan(B * x)))) + c["a12"] * Fz + c["a13"]
    forces = load_tyre(SAMPLES["car_pac89"]).evaluate(
        4000.0, kappa=-(c["b9"] * Fz + c["b10"]) / 100, alpha=np.radians(3.0)
    )
    assert forces.Fy == pytest.approx(-Fy, rel=1e-8)  # the published axes have y to the right


def test_combined_slip_stays_inside_the_friction_ellipse(sample: Path) -> None:
    tyre = Tyre(read_tir(sample).symmetric().with_values(**_no_shifts(sample)))
    kappa, alpha = np.meshgrid(np.linspace(-1.0, 1.0, 81), np.linspace(-1.2, 1.2, 81))
    forces = tyre.evaluate(3000.0, kappa=kappa, alpha=alpha)
    use = (forces.Fx / forces.mux) ** 2 + (forces.Fy / forces.muy) ** 2
    # The weighting functions of the Magic Formula are fits, not an ellipse: shoulders of some percent are normal.
    assert use.max() < 1.35 * 3000.0**2
    assert np.abs(forces.Fx).max() <= 1.001 * forces.mux.max() * 3000.0


def test_large_slip_angles_are_smooth(sample: Path) -> None:
    """A spinning vehicle: no jumps up to 86 degrees, where tan(alpha) is 14."""
    tyre = load_tyre(sample)
    alpha = np.linspace(-1.5, 1.5, 60001)
    for kappa in (0.0, 0.1, -0.5):
        forces = tyre.evaluate(4000.0, kappa=kappa, alpha=alpha, limits=False)
        for name in ("Fx", "Fy", "Mz"):
            values = getattr(forces, name)
            assert np.abs(np.diff(values)).max() < 2e-3 * np.abs(values).max(), (name, kappa)


# ------------------------------------------------------------------------------------------- derivatives


def test_derivatives_against_differences(sample: Path) -> None:
    """Exact derivatives with respect to all inputs and every coefficient, at general points."""
    properties = read_tir(sample)
    # Away from switches: friction that decays with speed, relaxation lengths that the file gives.
    active = {"LMUV": 0.2, "RELAX_LENGTH_X": 0.4, "RELAX_LENGTH_Y": 0.6}
    properties = properties.with_values(**{k: v for k, v in active.items() if k in properties.names})
    tyre = Tyre(properties, Side.RIGHT)
    points = {name: values[600:640] for name, values in general_points(tyre).items()}
    points["Fz"] = np.abs(points["Fz"]) + 300.0
    points["alpha"] *= 0.3
    names = INPUTS + properties.names
    result = tyre.derivatives(names, **points, limits=False)
    scale = {name: np.abs(getattr(result.forces, name)).max() for name in OUTPUTS}
    for name in names:
        if name in INPUTS:
            step = 1e-6 * max(np.abs(points[name]).max(), 1e-3)
            sides = [tyre.evaluate(**{**points, name: points[name] + d}, limits=False) for d in (step, -step)]
        else:
            value = properties.coefficients[name]
            step = 1e-6 * max(abs(value), 1e-2)
            sides = [
                Tyre(properties.with_values(**{name: value + d}), Side.RIGHT).evaluate(**points, limits=False)
                for d in (step, -step)
            ]
        for output in OUTPUTS:
            difference = (getattr(sides[0], output) - getattr(sides[1], output)) / (2 * step)
            exact = result.of(output, name)
            allowed = 1e-7 * max(np.abs(exact).max(), np.abs(difference).max()) + 1e-8 * scale[output] / step * 1e-2
            assert np.abs(exact - difference).max() <= allowed, (output, name)


def test_derivative_values_equal_plain_ones(sample: Path) -> None:
    tyre = load_tyre(sample)
    points = general_points(tyre, 500)
    plain, dual = tyre.evaluate(**points), tyre.derivatives(("alpha",), **points)
    for name, a, b in zip(OUTPUTS, plain, dual.forces, strict=True):
        assert_of_peak(a, b, 1e-13, name)  # one in SIMD lanes, the other not: the last digits may differ


def test_derivatives_are_finite_where_formulas_have_kinks(sample: Path) -> None:
    tyre = load_tyre(sample)
    result = tyre.derivatives(INPUTS, [0.0, 50.0, 4000.0], kappa=0.0, alpha=0.0, gamma=0.0, Vx=[[0.0], [10.0]])
    assert result.slopes.shape == (2, 3, len(OUTPUTS), len(INPUTS))
    assert np.isfinite(result.slopes).all()


@settings(max_examples=150, deadline=None)
@given(
    data=st.tuples(
        st.sampled_from(sorted(SAMPLES)),
        st.floats(-1e5, 1e6),
        st.floats(-50, 50),
        st.floats(-1.57, 1.57),
        st.floats(-1.5, 1.5),
        st.floats(-200, 200),
        st.floats(1e3, 1e7),
        st.booleans(),
    )
)
def test_always_finite(data: tuple[str, float, float, float, float, float, float, bool]) -> None:
    name, Fz, kappa, alpha, gamma, Vx, p, limits = data
    forces = load_tyre(SAMPLES[name]).evaluate(Fz, kappa, alpha, gamma, Vx, p, limits=limits)
    assert all(np.isfinite(value) for value in forces)
    if Fz <= 0:
        assert all(value == 0 for value in forces)


# ------------------------------------------------------------------------------------------- batch, ranges, mistakes


def test_threads_do_not_change_the_result(sample: Path) -> None:
    tyre = load_tyre(sample)
    points = general_points(tyre, 30000)
    one, many = tyre.evaluate(**points, threads=1), tyre.evaluate(**points, threads=5)
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a, b)


def test_shapes_broadcast() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    assert tyre.evaluate(4000.0).Fx.shape == ()
    assert tyre.evaluate([[1000.0], [2000.0]], alpha=[0.0, 0.1, 0.2]).Fy.shape == (2, 3)
    assert tyre.evaluate(np.empty(0)).Fy.shape == (0,)


def test_points_outside_the_ranges_are_counted() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    alpha = np.array([-2.0, 0.0, 0.1, 1.55, 1.6])
    forces = tyre.evaluate([100.0, 4000.0, 4000.0, 4000.0, 20000.0], alpha=alpha / 1.1, Vx=[0.5, 1, 1, 1, 1])
    counted = {outside.input: (outside.below, outside.above) for outside in forces.outside}
    assert counted == {"Fz": (1, 1), "alpha": (1, 0), "|Vx|": (1, 0)}
    assert "1 below" in str(forces.outside[0])
    free = tyre.evaluate(20000.0, limits=False)
    assert [outside.action for outside in free.outside] == ["evaluated as they are"]
    assert free.Fy != tyre.evaluate(20000.0).Fy == tyre.evaluate(11000.0).Fy


def test_mistakes_are_named() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    with pytest.raises(InputError, match="alpha holds values that are not finite"):
        tyre.evaluate(4000.0, alpha=[0.0, np.nan])
    with pytest.raises(InputError, match="p = -1"):
        tyre.evaluate(4000.0, p=-1.0)
    with pytest.raises(InputError, match="mu = 0"):
        tyre.evaluate(4000.0, mu=0.0)
    with pytest.raises(UnknownNameError, match="did you mean 'PKY"):
        tyre.derivatives(("PKYI",), 4000.0)
    with pytest.raises(UnknownNameError, match="LMUX"):
        tyre.properties.with_values(LMUXX=1.0)
