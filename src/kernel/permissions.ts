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

const SPECIAL_PERMISSIONS = [
  'events.publish',
  'email.send',
  'marketing.send',
  'money.write',
  'personal.read',
  'personal.export',
  'clients.admin',
] as const
export type Permission = `${ToolsetName}.read` | `${ToolsetName}.write` | (typeof SPECIAL_PERMISSIONS)[number]

const read = (...toolsets: ToolsetName[]): Permission[] => toolsets.map((t) => `${t}.read` as const)
const readWrite = (...toolsets: ToolsetName[]): Permission[] => toolsets.flatMap((t) => [`${t}.read`, `${t}.write`] as const)

export const PERMISSIONS: readonly Permission[] = [...readWrite(...TOOLSETS), ...SPECIAL_PERMISSIONS]

/** The permissions of each role. A role is held at a client or, by staff, at one event. */
const PERMISSIONS_BY_ROLE = {
  admin: PERMISSIONS,
  manager: PERMISSIONS.filter((p) => p !== 'clients.admin'),
  registrar: [
    ...readWrite('registration', 'onsite', 'sessions'),
    ...read('events', 'reports', 'email', 'housing', 'exhibitors'),
    'personal.read',
    'personal.export',
    'money.write',
  ],
  housing: [...readWrite('housing'), ...read('registration', 'events', 'reports', 'sourcing'), 'personal.read'],
  exhibits: [...readWrite('exhibitors', 'onsite'), ...read('registration', 'events', 'reports'), 'email.send', 'personal.read'],
  marketer: [
    ...readWrite('email', 'marketing', 'design'),
    'email.send',
    'marketing.send',
    ...read('registration', 'events', 'reports', 'sessions'),
  ],
  program: [...readWrite('sessions'), ...read('registration', 'events', 'reports'), 'email.send'],
  sourcing: [...readWrite('sourcing', 'housing'), ...read('events', 'reports')],
  finance: [...read('registration', 'reports', 'housing', 'sourcing'), 'money.write', 'personal.read'],
  onsite: [...readWrite('onsite'), ...read('registration')],
  analyst: read(...TOOLSETS),
} satisfies Record<string, readonly Permission[]>

export type Role = keyof typeof PERMISSIONS_BY_ROLE
export const ROLES = Object.keys(PERMISSIONS_BY_ROLE) as readonly Role[]

export const isRole = (text: string): text is Role => Object.hasOwn(PERMISSIONS_BY_ROLE, text)

export type Permissions = ReadonlySet<Permission>

const unions = new Map<string, Permissions>()

/** Returns the permissions of several roles together. The same combination of roles always returns the same set, usable as a cache key. */
export function permissionsOf(roles: readonly Role[]): Permissions {
  const key = roles.length === 1 ? roles[0]! : [...new Set(roles)].toSorted().join('+')
  let union = unions.get(key)
  if (!union) {
    union = new Set(roles.flatMap((role) => [...PERMISSIONS_BY_ROLE[role]]))
    unions.set(key, union)
  }
  return union
}

/** Permissions that a user has at one or more clients or events. */
export function getPermissionsInAnyScope(access: {
  clients: readonly { roles: readonly Role[] }[]
  staff: readonly { role: Role }[]
}): Permissions {
  const roles = access.staff.map((s) => s.role)
  for (const client of access.clients) roles.push(...client.roles)
  return permissionsOf(roles)
}
