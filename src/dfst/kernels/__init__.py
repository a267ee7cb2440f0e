"""The recurrence in training: losses and gradients of many models at once, one interface, several versions.

    losses_and_gradients(theta (s, P), shape, traces, chosen (s, b)) → losses (s,), gradients (s, P)

s seeds, each with its own P parameters and its own b traces (indices into the set). The loss of a trace of
T steps is the paper's, with h_0 = h0 and h_{t+1} = A[x_t] h_t:

    1/(2T) Σ_t ‖B[x_t] h_t − onehot(s_t)‖² + ‖C[x_t] h_t − onehot(m_t)‖²

and the loss of a batch the mean over its traces; an empty trace counts as 0.

`reference` is the loop as written, the truth that `cpu` and `gpu` are tested against; `operator` is the
recurrence by itself, without the paper's loss: `dfst.recurrence`.
"""
