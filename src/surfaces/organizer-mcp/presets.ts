/** Several clients stop at 128 tools and choose badly among many, so people are advised to connect one job at a time. */
export const PRESETS = [
  { name: 'front desk', toolsets: ['registration', 'onsite'] },
  { name: 'housing desk', toolsets: ['registration', 'housing'] },
  { name: 'communications', toolsets: ['email', 'marketing'] },
  { name: 'show floor', toolsets: ['exhibitors', 'sessions', 'onsite'] },
  { name: 'sourcing', toolsets: ['sourcing'] },
  { name: 'analyst', toolsets: ['reports'] },
  { name: 'builder', toolsets: ['events', 'design'] },
  { name: 'account admin', toolsets: ['clients', 'automation'] },
] as const

export const presetsInWords = PRESETS.map((preset) => `${preset.name} ${preset.toolsets.join(',')}`).join('; ')
