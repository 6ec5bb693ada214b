"""What Numba's code takes from its own library, and a library of kernels must bring along: powers of complex numbers.

    a^b = |a|^Re b exp(-arg a Im b) (cos phi + i sin phi),      phi = arg a Re b + Im b log |a|

with 1 for b = 0 and else 0 for a = 0.
"""

from __future__ import annotations

POWER = """
declare double @hypot(double, double)
declare double @atan2(double, double)
declare double @llvm.pow.f64(double, double)
declare double @llvm.exp.f64(double)
declare double @llvm.log.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.sin.f64(double)

define void @numba_cpow(ptr %a, ptr %b, ptr %out) {
  %ai.p = getelementptr double, ptr %a, i64 1
  %bi.p = getelementptr double, ptr %b, i64 1
  %out.i = getelementptr double, ptr %out, i64 1
  %ar = load double, ptr %a
  %ai = load double, ptr %ai.p
  %br = load double, ptr %b
  %bi = load double, ptr %bi.p
  %size = call double @hypot(double %ar, double %ai)
  %angle = call double @atan2(double %ai, double %ar)
  %length = call double @llvm.pow.f64(double %size, double %br)
  %turned = fmul double %angle, %bi
  %opposite = fneg double %turned
  %shrink = call double @llvm.exp.f64(double %opposite)
  %long = fmul double %length, %shrink
  %log = call double @llvm.log.f64(double %size)
  %first = fmul double %angle, %br
  %second = fmul double %bi, %log
  %phase = fadd double %first, %second
  %cos = call double @llvm.cos.f64(double %phase)
  %sin = call double @llvm.sin.f64(double %phase)
  %re = fmul double %long, %cos
  %im = fmul double %long, %sin
  %a.zero = fcmp oeq double %size, 0.0
  %br.zero = fcmp oeq double %br, 0.0
  %bi.zero = fcmp oeq double %bi, 0.0
  %b.zero = and i1 %br.zero, %bi.zero
  %re.a = select i1 %a.zero, double 0.0, double %re
  %im.a = select i1 %a.zero, double 0.0, double %im
  %re.b = select i1 %b.zero, double 1.0, double %re.a
  %im.b = select i1 %b.zero, double 0.0, double %im.a
  store double %re.b, ptr %out
  store double %im.b, ptr %out.i
  ret void
}
"""

HELPERS = {"numba_cpow": POWER}
