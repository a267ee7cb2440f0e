// The slider of steps: a notch a step while there are few, logarithmic once there are many.
//
// What happens in a long run happens early: the ant's highway begins at ten thousand of two million steps.

/** Notches of the slider; a run of no more steps has one for each. */
export const SLIDER = 2000;

export function positionOf(step, known) {
  if (known <= SLIDER) return step;
  return Math.round((SLIDER * Math.log1p(Math.min(step, known))) / Math.log1p(known));
}

export function stepAt(position, known) {
  if (known <= SLIDER) return position;
  if (position >= SLIDER) return known;
  return Math.round(Math.expm1((position / SLIDER) * Math.log1p(known)));
}
