# Pictures of the screen, as they are stated.
extends Reference

const MOST_BYTES = 780000  # of a file: it travels as text, which is a third longer
const QUALITY = 0.75


# What was drawn last, or null where nothing is drawn.
static func of_screen(viewport: Viewport) -> Image:
	if OS.has_feature("Server"):
		return null
	var image := viewport.get_texture().get_data()
	if image != null:
		image.flip_y()  # textures of viewports are upside down
	return image


# Scaled down to this width, and farther if its file is too large.
static func statement(image: Image, width: int, name: String) -> Dictionary:
	var small := Image.new()
	small.copy_from(image)
	if small.is_compressed():
		small.decompress()
	small.convert(Image.FORMAT_RGB8)
	var is_jpeg := small.has_method("save_jpg_to_buffer")  # not in all of 3.x
	var bytes := PoolByteArray()
	while bytes.size() == 0 or bytes.size() > MOST_BYTES:
		if bytes.size() > 0:
			width = small.get_width() / 2
		if small.get_width() > width:
			var height := int(max(1, small.get_height() * width / small.get_width()))
			small.resize(width, height, Image.INTERPOLATE_BILINEAR)
		if is_jpeg:
			bytes = small.call("save_jpg_to_buffer", QUALITY)
		else:
			bytes = small.save_png_to_buffer()
		if bytes.size() == 0:
			break
	return {
		"do": "picture", "data": Marshalls.raw_to_base64(bytes),
		"format": "jpeg" if is_jpeg else "png", "name": name,
		"width": small.get_width(), "height": small.get_height(),
	}
