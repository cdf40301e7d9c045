export const TOOLSETS = [
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
] as const
export type ToolsetName = (typeof TOOLSETS)[number]

const SPECIAL = [
  'events.publish',
  'email.send',
  'marketing.send',
  'money.write',
  'personal.read',
  'personal.export',
  'clients.admin',
] as const
export type Permission = `${ToolsetName}.read` | `${ToolsetName}.write` | (typeof SPECIAL)[number]

const read = (...toolsets: ToolsetName[]): Permission[] => toolsets.map((t) => `${t}.read` as const)
const both = (...toolsets: ToolsetName[]): Permission[] => toolsets.flatMap((t) => [`${t}.read`, `${t}.write`] as const)

export const PERMISSIONS: readonly Permission[] = [...both(...TOOLSETS), ...SPECIAL]

/** What each role may do, per client or, for staff, per event. The one place where this is said. */
const GRANTS = {
  admin: PERMISSIONS,
  manager: PERMISSIONS.filter((p) => p !== 'clients.admin'),
  registrar: [
    ...both('registration', 'onsite', 'sessions'),
    ...read('events', 'reports', 'email', 'housing', 'exhibitors'),
    'personal.read',
    'personal.export',
    'money.write',
  ],
  housing: [...both('housing'), ...read('registration', 'events', 'reports', 'sourcing'), 'personal.read'],
  exhibits: [...both('exhibitors', 'onsite'), ...read('registration', 'events', 'reports'), 'email.send', 'personal.read'],
  marketer: [
    ...both('email', 'marketing', 'design'),
    'email.send',
    'marketing.send',
    ...read('registration', 'events', 'reports', 'sessions'),
  ],
  program: [...both('sessions'), ...read('registration', 'events', 'reports'), 'email.send'],
  sourcing: [...both('sourcing', 'housing'), ...read('events', 'reports')],
  finance: [...read('registration', 'reports', 'housing', 'sourcing'), 'money.write', 'personal.read'],
  onsite: [...both('onsite'), ...read('registration')],
  analyst: read(...TOOLSETS),
} satisfies Record<string, readonly Permission[]>

export type Role = keyof typeof GRANTS
export const ROLES = Object.keys(GRANTS) as readonly Role[]

export const isRole = (text: string): text is Role => Object.hasOwn(GRANTS, text)

export type Permissions = ReadonlySet<Permission>

const unions = new Map<string, Permissions>()

/** The union of what the roles grant. Roles come in few combinations, so each union is made once and can serve as a cache key. */
export function permissionsOf(roles: readonly Role[]): Permissions {
  const key = roles.length === 1 ? roles[0]! : [...new Set(roles)].toSorted().join('+')
  let union = unions.get(key)
  if (!union) {
    union = new Set(roles.flatMap((role) => [...GRANTS[role]]))
    unions.set(key, union)
  }
  return union
}

/** What the organizer may do in at least one of their clients or events. */
export function permissionsAnywhere(access: {
  clients: readonly { roles: readonly Role[] }[]
  staff: readonly { role: Role }[]
}): Permissions {
  const roles = access.staff.map((s) => s.role)
  for (const client of access.clients) roles.push(...client.roles)
  return permissionsOf(roles)
}
