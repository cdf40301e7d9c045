import type { ToolsetName } from '../../kernel/permissions.ts'
import { NON_EMPTY_TOOLSETS } from '../../kernel/served-toolsets.ts'

interface Preset {
  name: string
  toolsets: readonly ToolsetName[]
}

/**
 * Presets (named selections of toolsets). Several apps support at most 128 tools and choose badly among many, so users are advised to
 * connect one preset at a time.
 */
const ALL_PRESETS: readonly Preset[] = [
  { name: 'front desk', toolsets: ['registration', 'onsite'] },
  { name: 'housing desk', toolsets: ['registration', 'housing'] },
  { name: 'communications', toolsets: ['email', 'marketing'] },
  { name: 'show floor', toolsets: ['exhibitors', 'sessions', 'onsite'] },
  { name: 'sourcing', toolsets: ['sourcing'] },
  { name: 'analyst', toolsets: ['reports'] },
  { name: 'builder', toolsets: ['events', 'design'] },
  { name: 'account admin', toolsets: ['clients', 'automation'] },
]

const isPartOf = (a: Pick<Preset, 'toolsets'>, b: Pick<Preset, 'toolsets'>) => a.toolsets.every((toolset) => b.toolsets.includes(toolset))

/** The presets, limited to the toolsets that are served. A preset whose toolsets are all in another preset is left out. */
export const TOOLSET_PRESETS: readonly Preset[] = ALL_PRESETS.map(({ name, toolsets }) => ({
  name,
  toolsets: toolsets.filter((toolset) => NON_EMPTY_TOOLSETS.includes(toolset)),
})).filter((preset, at, all) => !all.some((other, i) => i !== at && isPartOf(preset, other) && (i < at || !isPartOf(other, preset))))

export const TOOLSET_PRESETS_TEXT = TOOLSET_PRESETS.map((preset) => `${preset.name} ${preset.toolsets.join(',')}`).join('; ')

const WORK: Record<ToolsetName, string> = {
  events: 'event set-up',
  registration: 'registration and payments',
  housing: 'housing',
  reports: 'reports',
  email: 'mail',
  exhibitors: 'exhibitors and leads',
  sessions: 'sessions and speakers',
  sourcing: 'sourcing',
  onsite: 'check-in',
  design: 'design',
  marketing: 'marketing',
  automation: 'automation',
  clients: 'clients and their settings',
}

/** The areas of work that the served toolsets cover, as a list in plain words. */
export const AVAILABLE_TOOLSET_AREAS_TEXT = NON_EMPTY_TOOLSETS.map((toolset) => WORK[toolset]).join(', ')
