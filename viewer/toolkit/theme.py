"""The viewer's theme: fonts, pens and the style sheet, all made from the palette."""

import re
from functools import lru_cache

from . import palette as p
from .qt import QApplication, QColor, QFont, QPalette, QPen, Qt, QWidget

SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6, 1.8, 2.0)
"""The text sizes, as shares of the usual one."""
_scale = [1.0]
_SHEET = "playhead_sheet"
"""The property of a widget that has its style sheet, in the colours of the palette."""
_PIXELS = re.compile(r"(font-size:\s*)(\d+)px")
_FAMILIES = ["Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans"]
_MONO_FAMILIES = ["JetBrains Mono", "Cascadia Mono", "Menlo", "DejaVu Sans Mono"]


@lru_cache(maxsize=64)
def font(pixels: int = 12, *, bold: bool = False, mono: bool = False) -> QFont:
    """A font of this height. Mono is for numbers: they keep their width while they change."""
    face = QFont()
    face.setFamilies(_MONO_FAMILIES if mono else _FAMILIES)
    face.setPixelSize(pixels)
    if bold:
        face.setWeight(QFont.Weight.DemiBold)
    return face


def text_scale() -> float:
    """The text size that is used, as a share of the usual one."""
    return _scale[0]


@p.themed_cache
def color(name: str, alpha: int = 255) -> QColor:
    """`#rrggbb` as a Qt colour. It is shared: don't change it."""
    result = QColor(p.shown(name))
    result.setAlpha(alpha)
    return result


@p.themed_cache
def pen(name: str, width: float = 1.0, alpha: int = 255, *, dashed: bool = False) -> QPen:
    """A pen of the same width at every zoom. It is shared: don't change it."""
    result = QPen(color(name, alpha), width)
    result.setCosmetic(True)
    if dashed:
        result.setStyle(Qt.PenStyle.DashLine)
    return result


def restyle(widget: QWidget, style_sheet: str) -> None:
    """Give a widget a style sheet, if it has not got it: each makes Qt lay out the whole window.

    Its colours are those of the palette: they change with the theme, its sizes with the text's.
    """
    if widget.property(_SHEET) != style_sheet:
        widget.setProperty(_SHEET, style_sheet)
        widget.setStyleSheet(_fitted(style_sheet))


def _fitted(style_sheet: str) -> str:
    """A style sheet in the theme and the text size that are used."""
    return _PIXELS.sub(
        lambda found: f"{found[1]}{round(int(found[2]) * text_scale())}px",
        p.translated(style_sheet),
    )


SHEET = f"""
* {{ font-size: 12px; color: {p.TEXT}; }}
QMainWindow, QWidget#empty {{ background: {p.GROUND}; }}
QMainWindow::separator {{ background: {p.GROUND}; width: 4px; height: 4px; }}
QMainWindow::separator:hover {{ background: {p.ACCENT}; }}
QDockWidget {{ color: {p.DIM}; font-weight: 600; titlebar-close-icon: none; }}
QDockWidget::title {{ background: {p.HEADER}; padding: 6px 10px; }}
QDockWidget > QWidget {{ background: {p.PANEL}; }}
QTabBar {{ background: {p.HEADER}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {p.DIM}; padding: 5px 12px; border: none;
  border-bottom: 2px solid transparent; font-weight: 600; }}
QTabBar[tight="true"]::tab {{ padding: 5px 4px; }}
QTabBar::tab:selected {{ color: {p.TEXT}; border-bottom: 2px solid {p.ACCENT}; }}
QTabBar::tab:hover {{ color: {p.TEXT}; }}
QWidget#transport {{ background: {p.PANEL}; border-bottom: 1px solid {p.EDGE}; }}
QStatusBar {{ background: {p.PANEL}; border-top: 1px solid {p.EDGE}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ padding: 1px 8px; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px;
  padding: 4px 7px; }}
QToolButton:hover {{ background: {p.RAISED}; }}
QToolButton:checked {{ background: {p.CHOSEN}; border-color: {p.CHOSEN_OUTLINE};
  color: {p.CHOSEN_TEXT}; }}
QToolButton:disabled {{ color: {p.FAINT}; }}
QToolButton[chip="true"] {{ color: {p.FAINT}; padding: 3px 8px; border: 1px solid {p.EDGE};
  border-radius: 4px; background: transparent; }}
QToolButton[chip="true"][dotted="true"] {{ padding-left: 20px; text-align: left; }}
QToolButton[chip="true"]:checked {{ background: {p.RAISED}; border-color: {p.OUTLINE};
  color: {p.TEXT}; }}
QToolButton[chip="true"]:focus {{ border-color: {p.ACCENT}; }}
QWidget#finder {{ background: {p.PANEL}; border: 1px solid {p.OUTLINE}; border-radius: 8px; }}
QWidget#title {{ background: {p.HEADER}; }}
QWidget#title QLabel {{ color: {p.DIM}; font-weight: 600; }}
QToolButton#search {{ background: {p.GROUND}; border: 1px solid {p.EDGE}; color: {p.DIM};
  padding: 5px 12px; }}
QToolButton#search:hover {{ border-color: {p.OUTLINE}; color: {p.TEXT}; }}
QToolButton::menu-indicator {{ subcontrol-position: right center; left: -4px; width: 7px; }}
QPushButton {{ background: {p.HEADER}; border: 1px solid {p.EDGE}; border-radius: 5px;
  padding: 10px 16px; font-weight: 600; }}
QPushButton:hover {{ background: {p.RAISED}; border-color: {p.OUTLINE}; }}
QLineEdit {{ background: {p.GROUND}; border: 1px solid {p.EDGE}; border-radius: 4px;
  padding: 4px 8px; selection-background-color: {p.ACCENT}; }}
QLineEdit:focus {{ border-color: {p.ACCENT}; }}
QPlainTextEdit {{ background: {p.GROUND}; border: none; border-radius: 6px; padding: 10px; }}
QMenu {{ background: {p.HEADER}; border: 1px solid {p.EDGE}; padding: 4px; }}
QMenu::item {{ padding: 4px 18px; }}
QMenu::item:selected {{ background: {p.CHOSEN}; }}
QToolTip {{ background: {p.HEADER}; color: {p.TEXT}; border: 1px solid {p.EDGE}; padding: 4px; }}
"""


def apply_theme(app: QApplication, theme: str | None = None, scale: float | None = None) -> None:
    """Give an application one of the palette's `THEMES`, and a text size; as before by default.

    Args:
        scale: Of the text, and of all that is painted in panels; 1 is the usual size.
    """
    if theme is not None:
        p.use_theme(theme)
    if scale is not None:
        _scale[0] = min(max(scale, SCALES[0]), SCALES[-1])
    app.setStyle("Fusion")
    palette = QPalette()
    role = QPalette.ColorRole
    for color_role, name in (
        (role.Window, p.PANEL), (role.Base, p.PANEL), (role.AlternateBase, p.HEADER),
        (role.Button, p.HEADER), (role.Text, p.TEXT), (role.WindowText, p.TEXT),
        (role.ButtonText, p.TEXT), (role.ToolTipBase, p.HEADER), (role.ToolTipText, p.TEXT),
        (role.Highlight, p.ACCENT), (role.PlaceholderText, p.FAINT),
    ):  # fmt: skip
        palette.setColor(color_role, color(name))
    app.setPalette(palette)
    app.setFont(font(round(12 * text_scale())))
    app.setStyleSheet(_fitted(SHEET))
    for widget in app.allWidgets():
        if own := widget.property(_SHEET):
            widget.setStyleSheet(_fitted(own))
        rescale = getattr(widget, "rescale", None)
        if rescale is not None:
            rescale()
