# Pictures of the screen, as they are stated.
extends RefCounted

const MOST_BYTES = 780000  # of a file: it travels as text, which is a third longer
const QUALITY = 0.75


# What was drawn last, or null where nothing is drawn.
static func of_screen(viewport: Viewport) -> Image:
	if DisplayServer.get_name() == "headless":
		return null
	return viewport.get_texture().get_image()


# Scaled down to this width, and farther if its file is too large.
static func statement(image: Image, width: int, name: String) -> Dictionary:
	var small := Image.new()
	small.copy_from(image)
	if small.is_compressed():
		small.decompress()
	small.convert(Image.FORMAT_RGB8)
	var bytes := PackedByteArray()
	while bytes.size() == 0 or bytes.size() > MOST_BYTES:
		if bytes.size() > 0:
			width = int(small.get_width() / 2.0)
		if small.get_width() > width:
			var height := int(max(1, float(small.get_height()) * width / small.get_width()))
			small.resize(width, height, Image.INTERPOLATE_BILINEAR)
		bytes = small.save_jpg_to_buffer(QUALITY)
		if bytes.size() == 0:
			break
	return {
		"do": "picture", "data": Marshalls.raw_to_base64(bytes),
		"format": "jpeg", "name": name,
		"width": small.get_width(), "height": small.get_height(),
	}
