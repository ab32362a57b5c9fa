"""The look: fonts, pens and the style sheet, all made from the palette."""

from functools import lru_cache

from . import palette as p
from .qt import QApplication, QColor, QFont, QPalette, QPen, Qt, QWidget

_FACES = ["Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans"]
_MONO = ["JetBrains Mono", "Cascadia Mono", "Menlo", "DejaVu Sans Mono"]


@lru_cache(maxsize=64)
def font(pixels: int = 12, *, bold: bool = False, mono: bool = False) -> QFont:
    """A face of that height; numbers in a mono face do not jitter."""
    face = QFont()
    face.setFamilies(_MONO if mono else _FACES)
    face.setPixelSize(pixels)
    if bold:
        face.setWeight(QFont.Weight.DemiBold)
    return face


@lru_cache(maxsize=4096)
def color(name: str, alpha: int = 255) -> QColor:
    """`#rrggbb` as Qt wants it. Shared: don't change it."""
    made = QColor(name)
    made.setAlpha(alpha)
    return made


@lru_cache(maxsize=4096)
def pen(name: str, width: float = 1.0, alpha: int = 255, *, dashed: bool = False) -> QPen:
    """A line of that colour, as wide on every zoom. Shared: don't change it."""
    made = QPen(color(name, alpha), width)
    made.setCosmetic(True)
    if dashed:
        made.setStyle(Qt.PenStyle.DashLine)
    return made


def restyle(widget: QWidget, look: str) -> None:
    """Give a widget a style, if it is another one: each has the whole window laid out anew."""
    if widget.styleSheet() != look:
        widget.setStyleSheet(look)


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
QTabBar::tab:selected {{ color: {p.TEXT}; border-bottom: 2px solid {p.ACCENT}; }}
QTabBar::tab:hover {{ color: {p.TEXT}; }}
QWidget#transport {{ background: {p.PANEL}; border-bottom: 1px solid {p.EDGE}; }}
QStatusBar {{ background: {p.PANEL}; border-top: 1px solid {p.EDGE}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ padding: 1px 8px; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px;
  padding: 4px 7px; }}
QToolButton:hover {{ background: {p.RAISED}; }}
QToolButton:checked {{ background: {p.CHOSEN}; border-color: #2f5a94; color: {p.CHOSEN_TEXT}; }}
QToolButton:disabled {{ color: {p.FAINT}; }}
QToolButton[chip="true"] {{ color: {p.FAINT}; padding: 3px 8px; border: 1px solid {p.EDGE};
  border-radius: 4px; background: transparent; }}
QToolButton[chip="true"][dotted="true"] {{ padding-left: 20px; text-align: left; }}
QToolButton[chip="true"]:checked {{ background: {p.RAISED}; border-color: #3a4352;
  color: {p.TEXT}; }}
QToolButton[chip="true"]:focus {{ border-color: {p.ACCENT}; }}
QWidget#finder {{ background: {p.PANEL}; border: 1px solid #3a4352; border-radius: 8px; }}
QWidget#title {{ background: {p.HEADER}; }}
QWidget#title QLabel {{ color: {p.DIM}; font-weight: 600; }}
QToolButton#search {{ background: {p.GROUND}; border: 1px solid {p.EDGE}; color: {p.DIM};
  padding: 5px 12px; }}
QToolButton#search:hover {{ border-color: #3a4352; color: {p.TEXT}; }}
QToolButton::menu-indicator {{ subcontrol-position: right center; left: -4px; width: 7px; }}
QPushButton {{ background: {p.HEADER}; border: 1px solid {p.EDGE}; border-radius: 5px;
  padding: 10px 16px; font-weight: 600; }}
QPushButton:hover {{ background: {p.RAISED}; border-color: #3a4352; }}
QLineEdit {{ background: {p.GROUND}; border: 1px solid {p.EDGE}; border-radius: 4px;
  padding: 4px 8px; selection-background-color: {p.ACCENT}; }}
QLineEdit:focus {{ border-color: {p.ACCENT}; }}
QPlainTextEdit {{ background: {p.GROUND}; border: none; border-radius: 6px; padding: 10px; }}
QMenu {{ background: {p.HEADER}; border: 1px solid {p.EDGE}; padding: 4px; }}
QMenu::item {{ padding: 4px 18px; }}
QMenu::item:selected {{ background: {p.CHOSEN}; }}
QToolTip {{ background: {p.HEADER}; color: {p.TEXT}; border: 1px solid {p.EDGE}; padding: 4px; }}
"""


def dress(app: QApplication) -> None:
    """Give an application this look."""
    app.setStyle("Fusion")
    palette = QPalette()
    role = QPalette.ColorRole
    for where, name in (
        (role.Window, p.PANEL), (role.Base, p.PANEL), (role.AlternateBase, p.HEADER),
        (role.Button, p.HEADER), (role.Text, p.TEXT), (role.WindowText, p.TEXT),
        (role.ButtonText, p.TEXT), (role.ToolTipBase, p.HEADER), (role.ToolTipText, p.TEXT),
        (role.Highlight, p.ACCENT), (role.PlaceholderText, p.FAINT),
    ):  # fmt: skip
        palette.setColor(where, QColor(name))
    app.setPalette(palette)
    app.setFont(font(12))
    app.setStyleSheet(SHEET)
