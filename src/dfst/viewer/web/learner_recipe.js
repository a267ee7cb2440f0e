// How examples are trained: the recipe `quick` of train/recipe.py, which a test compares.

export function recipeFor(hiddenSize) {
  const learning_rate = Math.min(0.01, 0.025 / hiddenSize ** 0.7);
  return {
    steps: Math.round(120 / learning_rate),
    batch_size: 32,
    learning_rate,
    weight_decay: 0.05,
    weight_decay_until: 0.5,
    gradient_clip: 1,
    reweighting: 0.25,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
  };
}
