import type { Permission, Role, ToolsetName } from '../../src/kernel/permissions.ts'

interface Row {
  both?: readonly ToolsetName[]
  read?: readonly ToolsetName[]
  also?: readonly Permission[]
}

/** The permission table of the conventions, copied by hand. `admin` may do everything, `manager` everything except administer clients. */
const SPECIFIED_ROLES: Record<Exclude<Role, 'admin' | 'manager'>, Row> = {
  registrar: {
    both: ['registration', 'onsite', 'sessions'],
    read: ['events', 'reports', 'email', 'housing', 'exhibitors'],
    also: ['personal.read', 'personal.export', 'money.write'],
  },
  housing: { both: ['housing'], read: ['registration', 'events', 'reports', 'sourcing'], also: ['personal.read'] },
  exhibits: { both: ['exhibitors', 'onsite'], read: ['registration', 'events', 'reports'], also: ['email.send', 'personal.read'] },
  marketer: {
    both: ['email', 'marketing', 'design'],
    read: ['registration', 'events', 'reports', 'sessions'],
    also: ['email.send', 'marketing.send'],
  },
  program: { both: ['sessions'], read: ['registration', 'events', 'reports'], also: ['email.send'] },
  sourcing: { both: ['sourcing', 'housing'], read: ['events', 'reports'] },
  finance: { read: ['registration', 'reports', 'housing', 'sourcing'], also: ['money.write', 'personal.read'] },
  onsite: { both: ['onsite'], read: ['registration'] },
  analyst: {
    read: [
      'events',
      'registration',
      'housing',
      'reports',
      'email',
      'exhibitors',
      'sessions',
      'sourcing',
      'onsite',
      'design',
      'marketing',
      'automation',
      'clients',
    ],
  },
}

const SEVEN_MORE: readonly Permission[] = [
  'events.publish',
  'email.send',
  'marketing.send',
  'money.write',
  'personal.read',
  'personal.export',
  'clients.admin',
]

export const SPECIFIED_PERMISSIONS: readonly Permission[] = [
  ...SPECIFIED_ROLES.analyst.read!.flatMap((toolset) => [`${toolset}.read`, `${toolset}.write`] as const),
  ...SEVEN_MORE,
]

export function specifiedPermissionsOf(role: Role): readonly Permission[] {
  if (role === 'admin') return SPECIFIED_PERMISSIONS
  if (role === 'manager') return SPECIFIED_PERMISSIONS.filter((permission) => permission !== 'clients.admin')
  const { both = [], read = [], also = [] } = SPECIFIED_ROLES[role]
  return [
    ...both.flatMap((toolset) => [`${toolset}.read`, `${toolset}.write`] as const),
    ...read.map((toolset) => `${toolset}.read` as const),
    ...also,
  ]
}
