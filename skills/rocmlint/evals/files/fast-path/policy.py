from transformers.models.gemma import modeling_gemma


def build(model):
    modeling_gemma.set_use_aiter_attention(True)
    return model
