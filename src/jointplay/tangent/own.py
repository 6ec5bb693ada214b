"""What the states of laws on rows add to the linearised equations (tangent/linear.py), by imaginary steps."""

from __future__ import annotations

from ..arrays import NONE
from ..assemble.joint_friction import TINY
from ..laws.registry import evaluate_law, evaluate_rates
from ..numerics.jit import jit
from .matrices import add_line, turn_row, vary_all


@jit
def stepped_rates(law, constant, g, rate, t, cz, out):
    """Derivatives of the rates of a law's states along the imaginary parts of g, rate and the states, in ``out``."""
    evaluate_rates(law, constant, g, rate, t, cz, out)
    for q in range(law.inner, law.inner + law.states):
        out[q] = out[q].imag / TINY


@jit
def add_law_states(model, t, z, work, lin):
    """All laws on rows that bring states along."""
    info, cz, out = model.info[0], lin.inner[0], lin.inner[1]
    step = complex(0.0, TINY)
    for q in range(info.inner):
        cz[q] = z[q]
    for r in range(info.bilateral, info.force):
        fact, row = model.row[r], work.row[r]
        if fact.law == NONE or model.law[fact.law].states == 0:
            continue
        law = model.law[fact.law]
        last = law.inner + law.states
        g, rate = row.g + 0.0 * step, row.rate + 0.0 * step
        for s in range(law.inner, last):
            cz[s] = z[s] + step
            lam, _, _, _, _ = evaluate_law(law, model.constant, g, rate, t, cz, False)
            stepped_rates(law, model.constant, g, rate, t, cz, out)
            cz[s] = z[s]
            for m in range(12):
                b, o = (fact.i, m) if m < 6 else (fact.j, m - 6)
                if b != 0:
                    lin.Z[6 * (b - 1) + o, s] += lam.imag / TINY * row.w[m]
            for q in range(law.inner, last):
                lin.Hz[q, s] += out[q].real
        stepped_rates(law, model.constant, g + step, rate, t, cz, out)
        for q in range(law.inner, last):
            add_line(fact.i, fact.j, row.w, out[q].real, lin.Hq[q])
        stepped_rates(law, model.constant, g, rate + step, t, cz, out)
        relation = model.relation[fact.relation]
        vary_all(relation, work.kin, lin)
        for p in range(relation.count):
            if relation.row[p] == r:
                turn_row(p, lin)
                for q in range(law.inner, last):
                    add_line(fact.i, fact.j, row.w, out[q].real, lin.Hu[q])
                    add_line(fact.i, fact.j, lin.bend[p], out[q].real, lin.Hq[q])
