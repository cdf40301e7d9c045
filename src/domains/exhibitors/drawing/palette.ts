/** Colours of a drawn floor plan. */
export interface Palette {
  paper: string
  floor: string
  wall: string
  obstacle: string
  aisle: string
  zone: string
  layout: string
  ink: string
  poi: string
  exit: string
  route: string
  found: string
  unsure: string
  booth: string
  chosen: string
  booths: Record<BoothAppearance, string>
}

/**
 * Appearance of a drawn booth. For its status, participants see `free`, `reserved` and `taken`, organizers `available`, `held`, `taken` and
 * `blocked`.
 */
export type BoothAppearance = 'free' | 'available' | 'reserved' | 'held' | 'taken' | 'blocked' | 'chosen' | 'proposed'

/** Fixed colours, for pictures that are shown on white. */
export const FIXED_COLOUR_PALETTE: Palette = {
  paper: '#ffffff',
  floor: '#f4f5f6',
  wall: '#4b5563',
  obstacle: '#9ca3af',
  aisle: '#e9ecef',
  zone: '#7c3aed',
  layout: '#eef2ff',
  ink: '#111827',
  poi: '#1d4ed8',
  exit: '#1d4ed8',
  route: '#be123c',
  found: '#1d4ed8',
  unsure: '#b45309',
  booth: '#4b5563',
  chosen: '#111827',
  booths: {
    free: '#ffffff',
    available: '#ffffff',
    reserved: '#e5e7eb',
    held: '#f7e2b4',
    taken: '#dbeafe',
    blocked: '#ffffff',
    chosen: '#fde68a',
    proposed: '#bbf7d0',
  },
}

/** Colours of the page's stylesheet, which differ between light and dark mode. */
export const STYLESHEET_PALETTE: Palette = {
  paper: 'var(--surface)',
  floor: 'var(--plan-floor)',
  wall: 'var(--plan-wall)',
  obstacle: 'var(--plan-wall)',
  aisle: 'var(--plan-floor)',
  zone: 'var(--muted)',
  layout: 'var(--plan-free)',
  ink: 'var(--text)',
  poi: 'var(--muted)',
  exit: 'var(--success)',
  route: 'var(--danger)',
  found: 'var(--accent)',
  unsure: 'var(--warning)',
  booth: 'var(--plan-line)',
  chosen: 'var(--accent)',
  booths: {
    free: 'var(--plan-free)',
    available: 'var(--plan-free)',
    reserved: 'var(--plan-taken)',
    held: 'var(--plan-held)',
    taken: 'var(--plan-taken)',
    blocked: 'var(--plan-free)',
    chosen: 'var(--plan-held)',
    proposed: 'var(--plan-held)',
  },
}

/** Text colour on a heat map, the same in light and dark mode like the colours of the heat map. */
export const HEAT_MAP_TEXT_COLOUR = '#111827'
