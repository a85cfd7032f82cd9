from transformers import AutoModelForVision2Seq, AutoProcessor

model = AutoModelForVision2Seq.from_pretrained("HuggingFaceTB/SmolVLM-Instruct")
processor = AutoProcessor.from_pretrained("HuggingFaceTB/SmolVLM-Instruct")
