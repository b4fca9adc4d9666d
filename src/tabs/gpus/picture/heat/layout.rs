//! Layout of the heat map: where each cell is.

use std::ops::Range;
use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::order::{Fact, HeatOrder};
use super::{HeatArea, HeatCell, HeatLabel, HeatMap, HeatUnit, HeatZoom, NO_CELL, Scale};

/// Names of hosts take no more columns than this.
const LABEL: usize = 24;

/// GPUs that stand together: a host, or one GPU of it.
struct Piece {
    /// A stretch of the order.
    gpus: Range<u32>,
    block: u32,
    label: Arc<str>,
}

/// Pieces below one heading.
struct Section {
    title: Arc<str>,
    pieces: Range<usize>,
}

/// A way to lay the map out.
#[derive(Clone, Copy)]
struct Style {
    per_node: bool,
    heads: bool,
    /// Columns between pieces.
    gap: u32,
    /// Columns before each piece for its name; 0 for none.
    label: u32,
}

const fn style(per_node: bool, heads: bool, gap: u32) -> Style {
    Style { per_node, heads, gap, label: 0 }
}

/// From roomy to dense.
const GPUS: [Style; 3] = [style(false, true, 1), style(false, true, 0), style(false, false, 0)];
const NODES: [Style; 2] = [style(true, true, 0), style(true, false, 0)];

pub(super) fn layout(
    order: &HeatOrder,
    zoom: &HeatZoom,
    area: HeatArea,
    unit: HeatUnit,
) -> HeatMap {
    let (sections, pieces) = cut(order, zoom);
    let mut styles: Vec<Style> = Vec::with_capacity(6);
    if !matches!(zoom, HeatZoom::Fleet) && unit != HeatUnit::Node {
        let widest = pieces.iter().map(|p| p.label.width()).max().unwrap_or(0).min(LABEL) as u32;
        styles.push(Style { label: widest + 1, gap: 2, ..GPUS[0] });
    }
    // Within a host there is nothing to sum up.
    let in_node = matches!(zoom, HeatZoom::Node(_));
    if unit != HeatUnit::Node || in_node {
        styles.extend(GPUS);
    }
    if unit != HeatUnit::Gpu && !in_node {
        styles.extend(NODES);
    }
    let room = u32::from(area.height) * area.rows_per_line();
    let fits = |s: &&Style| {
        let mut pen = Pen::new(area, **s);
        sections.iter().all(|section| {
            pen.section(section, &pieces);
            pen.bottom() <= room
        })
    };
    let style = styles.iter().find(fits).or(styles.last()).copied().unwrap_or(GPUS[0]);
    draw(order, &sections, &pieces, area, style)
}

/// The part of the order that is shown, in pieces.
fn cut(order: &HeatOrder, zoom: &HeatZoom) -> (Vec<Section>, Vec<Piece>) {
    let title =
        |group: &Option<Arc<str>>| group.clone().unwrap_or_else(|| order.by.nobody().into());
    let mut sections: Vec<Section> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last: Option<&Option<Arc<str>>> = None;
    for (i, block) in order.blocks.iter().enumerate() {
        let shown = match zoom {
            HeatZoom::Fleet => true,
            HeatZoom::Group(group) => block.group == *group,
            HeatZoom::Node(id) => block.id == *id,
        };
        if !shown {
            continue;
        }
        // Within a host the groups do not stand apart.
        let in_node = matches!(zoom, HeatZoom::Node(_));
        if last.is_none_or(|l| *l != block.group && !in_node) {
            let title = if in_node { block.name.clone() } else { title(&block.group) };
            sections.push(Section { title, pieces: pieces.len()..pieces.len() });
        }
        last = Some(&block.group);
        let piece = |gpus: Range<u32>, label| Piece { gpus, block: i as u32, label };
        if in_node {
            let each = block.from..block.to;
            pieces.extend(each.map(|at| piece(at..at + 1, order.gpu_words(at).into())));
        } else {
            pieces.push(piece(block.from..block.to, block.name.clone()));
        }
        if let Some(section) = sections.last_mut() {
            section.pieces.end = pieces.len();
        }
    }
    (sections, pieces)
}

/// Goes over the area and says where the next piece stands.
struct Pen {
    area: HeatArea,
    style: Style,
    x: u32,
    y: u32,
    /// Rows that the present line of pieces takes.
    high: u32,
    begun: bool,
}

impl Pen {
    fn new(area: HeatArea, style: Style) -> Self {
        Self { area, style, x: 0, y: 0, high: 0, begun: false }
    }

    /// The first row below everything so far.
    fn bottom(&self) -> u32 {
        self.y + self.high
    }

    /// Columns and rows of cells that `gpus` GPUs of a host take: two rows, as wide as need be.
    fn size(&self, gpus: u32) -> (u32, u32) {
        let width = u32::from(self.area.width).saturating_sub(self.style.label).max(1);
        match gpus {
            _ if self.style.per_node => (1, 1),
            0 | 1 => (1, self.area.rows_per_line()),
            n => {
                let columns = n.div_ceil(2).min(width);
                (columns, n.div_ceil(columns).next_multiple_of(2))
            }
        }
    }

    /// Begins a section; the row of its heading, where it has one.
    fn head(&mut self) -> Option<u32> {
        if !self.style.heads {
            return None;
        }
        let line = self.area.rows_per_line();
        self.y = self.bottom().next_multiple_of(line);
        // A heading stays with what is below it.
        self.y = self.whole(self.y, 2 * line);
        let row = self.y;
        (self.x, self.y, self.high, self.begun) = (0, self.y + line, 0, false);
        Some(row)
    }

    /// The place of the next piece.
    fn place(&mut self, gpus: u32) -> (u32, u32) {
        let (columns, rows) = self.size(gpus);
        let columns = columns + self.style.label;
        let gap = if self.begun { self.style.gap } else { 0 };
        if self.begun && self.x + gap + columns > u32::from(self.area.width) {
            (self.x, self.y, self.high) = (0, self.bottom(), 0);
        } else {
            self.x += gap;
        }
        self.begun = true;
        if self.high < rows {
            let y = self.whole(self.y, rows);
            if y != self.y {
                // The line goes over to the next page from here on.
                (self.x, self.y) = (0, y);
            }
            self.high = rows;
        }
        let place = (self.x + self.style.label, self.y);
        self.x += columns;
        place
    }

    /// `y`, or the top of the next page where `rows` would be cut in two.
    fn whole(&self, y: u32, rows: u32) -> u32 {
        let page = (u32::from(self.area.height) * self.area.rows_per_line()).max(1);
        if rows <= page && y % page + rows > page { y.next_multiple_of(page) } else { y }
    }

    /// Goes over a section without drawing.
    fn section(&mut self, section: &Section, pieces: &[Piece]) {
        self.head();
        for piece in &pieces[section.pieces.clone()] {
            self.place(piece.gpus.end - piece.gpus.start);
        }
    }
}

fn draw(
    order: &HeatOrder,
    sections: &[Section],
    pieces: &[Piece],
    area: HeatArea,
    style: Style,
) -> HeatMap {
    let line = area.rows_per_line();
    let mut map = HeatMap {
        area,
        cells: Vec::with_capacity(if style.per_node { pieces.len() } else { order.len() }),
        labels: Vec::new(),
        scale: Scale::up_to(0.0),
        per_node: style.per_node,
        headless: !style.heads && sections.len() > 1,
        pages: 0,
        grid: Vec::new(),
        sections: Vec::with_capacity(sections.len()),
    };
    if area.width == 0 || area.height == 0 {
        return map;
    }
    let mut pen = Pen::new(area, style);
    for section in sections {
        map.sections.push(map.cells.len() as u32);
        if let Some(row) = pen.head() {
            let (text, width) = (section.title.clone(), area.width);
            map.labels.push(HeatLabel { x: 0, line: row / line, width, text, is_head: true });
        }
        for piece in &pieces[section.pieces.clone()] {
            let gpus = piece.gpus.end - piece.gpus.start;
            let (x, y) = pen.place(gpus);
            if style.label > 0 {
                map.labels.push(HeatLabel {
                    x: (x - style.label) as u16,
                    line: y / line,
                    width: (style.label - 1) as u16,
                    text: piece.label.clone(),
                    is_head: false,
                });
            }
            if style.per_node {
                map.cells.push(whole(order, piece, x as u16, y));
            } else {
                let (columns, rows) = pen.size(gpus);
                map.cells.extend(piece.gpus.clone().enumerate().map(|(i, at)| HeatCell {
                    x: (x + i as u32 % columns) as u16,
                    y: y + i as u32 / columns,
                    tall: gpus == 1 && rows == 2,
                    ..one(order, at, piece.block)
                }));
            }
        }
    }
    finish(&mut map, pen.bottom());
    map
}

/// Brightness, pages and the index of places.
fn finish(map: &mut HeatMap, rows: u32) {
    let most = map.cells.iter().filter_map(|c| c.waste).fold(0.0, f32::max);
    map.scale = Scale::up_to(most);
    let line = map.area.rows_per_line();
    map.pages = rows.div_ceil(u32::from(map.area.height) * line);
    let width = usize::from(map.area.width);
    let mut grid = vec![NO_CELL; rows.next_multiple_of(line) as usize * width];
    for (i, cell) in map.cells.iter_mut().enumerate() {
        cell.level = cell.waste.map(|w| map.scale.level(w));
        let place = cell.y as usize * width + usize::from(cell.x);
        let below = cell.tall.then_some(place + width);
        for place in [Some(place), below].into_iter().flatten() {
            if let Some(slot) = grid.get_mut(place) {
                *slot = i as u32;
            }
        }
    }
    map.grid = grid;
}

/// The cell of a GPU, without its place.
fn one(order: &HeatOrder, at: u32, block: u32) -> HeatCell {
    let Fact { label, waste, .. } = order.facts[at as usize];
    HeatCell {
        x: 0,
        y: 0,
        tall: false,
        row: order.row(at),
        gpus: 1,
        state: label.state,
        waste: Some(waste).filter(|w| !w.is_nan()),
        level: None,
        block,
    }
}

/// The cell of a host: its worst GPU, the dollars of all.
fn whole(order: &HeatOrder, piece: &Piece, x: u16, y: u32) -> HeatCell {
    let by_harm = |a: &u32, b: &u32| {
        let (a, b) = (order.facts[*a as usize], order.facts[*b as usize]);
        let waste = |f: Fact| if f.waste.is_nan() { -1.0 } else { f.waste };
        a.label.state.cmp(&b.label.state).then(waste(b).total_cmp(&waste(a)))
    };
    let worst = piece.gpus.clone().min_by(by_harm).unwrap_or(piece.gpus.start);
    let known = piece.gpus.clone().map(|at| order.facts[at as usize].waste);
    let waste = known.filter(|w| !w.is_nan()).reduce(|a, b| a + b);
    let gpus = piece.gpus.end - piece.gpus.start;
    HeatCell { x, y, gpus, waste, ..one(order, worst, piece.block) }
}
