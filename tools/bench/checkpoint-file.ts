/** Weights of a model without a graph, of which the arm `own` is made. */
export const checkpointFile = 'model.safetensors'
