import type { ToolsetName } from '../../kernel/permissions.ts'
import { SERVED_TOOLSETS } from '../../kernel/served-toolsets.ts'

interface Preset {
  name: string
  toolsets: readonly ToolsetName[]
}

/** Several clients stop at 128 tools and choose badly among many, so people are advised to connect one job at a time. */
const JOBS: readonly Preset[] = [
  { name: 'front desk', toolsets: ['registration', 'onsite'] },
  { name: 'housing desk', toolsets: ['registration', 'housing'] },
  { name: 'communications', toolsets: ['email', 'marketing'] },
  { name: 'show floor', toolsets: ['exhibitors', 'sessions', 'onsite'] },
  { name: 'sourcing', toolsets: ['sourcing'] },
  { name: 'analyst', toolsets: ['reports'] },
  { name: 'builder', toolsets: ['events', 'design'] },
  { name: 'account admin', toolsets: ['clients', 'automation'] },
]

const isSame = (a: Pick<Preset, 'toolsets'>, b: Pick<Preset, 'toolsets'>) => a.toolsets.join() === b.toolsets.join()

/** What can be connected for a job; a job of which nothing of its own is built is none, and an empty toolset is in no address. */
export const PRESETS: readonly Preset[] = JOBS.map(({ name, toolsets }) => ({
  name,
  toolsets: toolsets.filter((toolset) => SERVED_TOOLSETS.includes(toolset)),
})).filter(({ toolsets }, index, jobs) => toolsets.length > 0 && jobs.findIndex((other) => isSame(other, { toolsets })) === index)

export const presetsInWords = PRESETS.map((preset) => `${preset.name} ${preset.toolsets.join(',')}`).join('; ')

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

/** What an assistant can work on today, as people call it: nothing is promised that is not served. */
export const workInWords = SERVED_TOOLSETS.map((toolset) => WORK[toolset]).join(', ')
