import { randomBytes } from 'node:crypto'
import { connectAppWithoutSignInPage, createUser, getUserByEmail, setUserRoleAtClient } from '../domains/access/users.ts'
import { assignAndInviteEventStaff, inviteMember } from '../domains/sign-in/invitations.ts'
import { setPassword } from '../domains/sign-in/passwords.ts'
import { createBrowserSession } from '../domains/sign-in/sessions.ts'
import type { Db } from '../kernel/columns.ts'
import type { EventSummaryRow } from '../kernel/context.ts'
import type { Role } from '../kernel/permissions.ts'
import type { PasswordHasher } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'
import { type DemoTeamMember, DEMO_ORGANIZER, runDemoClientChange, runDemoEventChange, type DemoSeedContext } from './stage.ts'
import type { DemoHistoryClock } from './story-clock.ts'

/** The team of the demo's client besides its administrator. Changes in the demo's history are attributed to these members. */
const TEAM = {
  beatriz: ['Beatriz Lopes', 'manager'],
  amira: ['Amira Haddad', 'registrar'],
  jonas: ['Jonas Weber', 'finance'],
  kenji: ['Kenji Watanabe', 'exhibits'],
  priya: ['Priya Nair', 'analyst'],
} as const satisfies Record<string, readonly [name: string, role: Role]>

export type DemoTeam = Record<'olga' | keyof typeof TEAM, DemoTeamMember>

const emailOf = (name: string) => `${name.toLowerCase().replace(' ', '.')}@example.org`

export async function seedAdministrator({ db, tenantId, clientId }: DemoSeedContext): Promise<DemoTeamMember> {
  const [email, name, role] = [DEMO_ORGANIZER, 'Olga Organizer', 'admin'] as const
  const userId = await createUser(db, { tenantId, email, name })
  await setUserRoleAtClient(db, { tenantId, userId, clientId, role })
  return { userId, email, name, role }
}

/** Invites the team members as an organizer does in the console. Each gets a random password, which is never shown. */
export async function seedDemoTeam(stage: DemoSeedContext, olga: DemoTeamMember, passwords: PasswordHasher): Promise<DemoTeam> {
  const joined: [string, DemoTeamMember][] = []
  for (const [key, [name, role]] of Object.entries(TEAM)) {
    const email = emailOf(name)
    await runDemoClientChange(stage, { colleague: olga, app: 'console', tool: 'invite_member' }, (ctx) =>
      inviteMember(ctx, { email, name, role }),
    )
    joined.push([key, { userId: await choosePassword(stage.db, email, passwords), email, name, role }])
  }
  return { olga, ...(Object.fromEntries(joined) as Omit<DemoTeam, 'olga'>) }
}

/** Adds a staff member with access to this event only. */
export async function seedEventStaffMember(
  stage: DemoSeedContext,
  by: DemoTeamMember,
  event: EventSummaryRow,
  passwords: PasswordHasher,
): Promise<void> {
  const name = 'Mateus Rocha'
  const email = emailOf(name)
  await runDemoEventChange(stage, event, { colleague: by, app: 'Claude', tool: 'assign_event_staff' }, (ctx) =>
    assignAndInviteEventStaff(ctx, { email, name, role: 'onsite', note: 'Runs the doors of the river hall.', sendInvite: true }),
  )
  await choosePassword(stage.db, email, passwords)
}

async function choosePassword(db: Db, email: string, passwords: PasswordHasher): Promise<string> {
  const { id } = await getUserByEmail(db, email)
  await setPassword(db, { id, email }, randomBytes(18).toString('base64url'), { passwords })
  return id
}

const LAST_SEEN = [
  ['priya', 12, '16:40'],
  ['kenji', 9, '13:15'],
  ['jonas', 4, '09:20'],
  ['amira', 3, '11:00'],
] as const

/** Records the last console visit of each member. The session tokens are discarded. */
export async function seedConsoleVisits({ db }: DemoSeedContext, time: DemoHistoryClock, team: DemoTeam): Promise<void> {
  for (const [who, days, clock] of LAST_SEEN) {
    await time.moveTo(time.daysBefore(days, clock))
    await createBrowserSession(db, {
      userId: team[who].userId,
      totpPending: false,
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
    })
  }
}

/** Connects an assistant for a team member and returns its token. */
export async function connectAssistant(
  { db, tenantId }: Pick<DemoSeedContext, 'db' | 'tenantId'>,
  { userId, email }: Pick<DemoTeamMember, 'userId' | 'email'>,
  app: { clientId: string; appName: string; resource: string; lifetime: '1 hour' | '30 days' },
): Promise<Secret> {
  const { accessVersion } = await getUserByEmail(db, email)
  return (await connectAppWithoutSignInPage(db, { userId, tenantId, accessVersion, ...app })).token
}
