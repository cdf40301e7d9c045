import { seedDemo } from '../../src/demo.ts'
import { verifyApiAccount } from '../../src/domains/access/verify-api-account.ts'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { findEventOfClient } from '../../src/domains/tenancy/scope.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { permissionsOf, type Permission, ROLES, type Role } from '../../src/kernel/permissions.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { createPasswordHasher } from '../../src/platform/passwords.ts'
import { callOperatorTool } from '../../src/surfaces/feedback-mcp/call-operator-tool.ts'
import { callOrganizerTool } from '../../src/surfaces/mcp/call-tool.ts'
import type { ToolCallOutcome } from '../../src/surfaces/mcp/outcome.ts'
import { callParticipantTool } from '../../src/surfaces/participant-mcp/call-participant-tool.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { readLatestCode } from '../../test/support/sign-in-codes.ts'
import { newWorld, resourceAt, type World } from '../../test/support/world.ts'
import { useRepeatableRandomness } from './repeatable-randomness.ts'

export type Arguments = Record<string, unknown>
type Answering = (tool: Tool, args: Arguments) => Promise<ToolCallOutcome>

/** The demo of a new installation on a day in January, and the callers of its tools. */
export interface DemoScenario {
  world: World
  /** Seeds all random values from here on with this name. */
  begin: (name: string) => void
  /** Calls a tool through the endpoint it belongs to. */
  outcome: Answering
  /** The same call by a user whose role lacks the permission; null if every role has it. */
  withoutPermission: (tool: Tool, permission: Permission, args: Arguments) => Promise<ToolCallOutcome | null>
  /** Calls as a participant who has not signed in, or who signed in before registering. */
  withoutSession: Answering
  withoutRegistration: Answering
  /** The result of a call that prepares an example; it must succeed. */
  call: (tool: string, args?: Arguments) => Promise<any>
  /** Runs a queued job, as a worker would. */
  run: (job: unknown, jobId: string) => Promise<unknown>
  /** Selects the participant who calls participant tools from now on. */
  signIn: (email: string) => Promise<void>
  /** Marks the idempotency key as used by another call of the tool. */
  spendKey: (tool: string, key: string) => Promise<void>
  end: () => Promise<void>
}

export const ALL_TOOLS: readonly Tool[] = [...ALL_TOOLSETS.flatMap((toolset) => toolset.tools), ...PARTICIPANT_TOOLS, ...FEEDBACK_TOOLS]
export const SUMMIT_CODES = { tenantCode: 'demo', clientCode: 'acme', eventCode: 'summit-2027' }

const NOW = '2027-01-15T09:00:00.000Z'
/** A placeholder for the address of the installation that shows the page. */
const BASE_URL = 'https://lanyard.example'
const RESOURCE = resourceAt(BASE_URL)

export async function openDemoScenario(): Promise<DemoScenario> {
  const world = await newWorld({ untouched: true, toolsets: ALL_TOOLSETS, baseUrl: BASE_URL })
  const chance = useRepeatableRandomness(Date.parse(NOW))
  await world.clock.stopAt(NOW)
  chance.begin('the demo')
  const { services, database } = world
  // Signatures must be reproducible too.
  services.keys = deriveKeys(Buffer.alloc(32, 1))
  // The embedded database has one connection, so this seeds all of its random values.
  await database.pool.query(`select setseed(0.27)`)
  const { keys, files } = services
  const demo = await seedDemo(database, { resource: RESOURCE, passwords: await createPasswordHasher(), keys, files })
  const organizer = (await verifyOrganizer(database.pool, demo.organizerToken.reveal(), RESOURCE))!
  const account = (await verifyApiAccount(database.pool, demo.apiToken.reveal()))!
  const { client, event } = (await findEventOfClient(database.pool, organizer.tenantId, SUMMIT_CODES))!
  const acme = { ...SUMMIT_CODES, tenantId: organizer.tenantId, clientId: client.id }
  const { id, app } = organizer.actor
  const callers = [`${id}|${app.id ?? app.name}`, `${account.id}|${account.id}`]
  const byName = new Map(ALL_TOOLS.map((tool) => [tool.name, tool]))
  const lacking = new Map<Role, Promise<typeof organizer>>()
  let session: string | null = null
  let sessionWithoutRegistration: Promise<string> | undefined

  const asParticipant = (given: string | null): Answering => (tool, args) => callParticipantTool(services, { account, session: given }, tool, args)
  const outcome: Answering = (tool, args) => {
    if (tool.scope === 'operator') return callOperatorTool(services, tool, args)
    if (PARTICIPANT_TOOLS.includes(tool)) return asParticipant(tool.scope === 'signIn' ? null : session)(tool, args)
    return callOrganizerTool(services, organizer, tool, args)
  }
  async function resultOf(name: string, args: Arguments, answering: Answering = outcome): Promise<any> {
    const answer = await answering(byName.get(name)!, args)
    if (answer.kind === 'error') throw new Error(`${name} ${JSON.stringify(args)} was refused: ${answer.error.message}`)
    return JSON.parse(answer.json)
  }
  async function sessionOf(email: string): Promise<string> {
    await resultOf('agent_request_otp', { ...SUMMIT_CODES, email })
    const verified = await resultOf('agent_verify_otp', { ...SUMMIT_CODES, email, code: await readLatestCode(world, email) })
    return verified.session.token
  }
  async function memberWith(role: Role): Promise<typeof organizer> {
    const { token } = await world.organizer({ role, at: acme, email: `${role}@demo.example`, name: `Demo ${role}` })
    return (await verifyOrganizer(database.pool, token, RESOURCE))!
  }

  return {
    world,
    begin: chance.begin,
    outcome,
    async withoutPermission(tool, permission, args) {
      const role = ROLES.findLast((one) => !permissionsOf([one]).has(permission))
      if (!role) return null
      const member = lacking.get(role) ?? memberWith(role)
      lacking.set(role, member)
      return callOrganizerTool(services, await member, tool, args)
    },
    withoutSession: asParticipant(null),
    withoutRegistration: async (tool, args) => asParticipant(await (sessionWithoutRegistration ??= sessionOf('stranger@people.demo.example')))(tool, args),
    call: (name, args = {}) => resultOf(name, args),
    run: (job, jobId) => createJobRunner(services)(job as Job, { tenantId: organizer.tenantId, jobId }),
    async signIn(email) {
      session = await sessionOf(email)
      callers.push(`${event.id}:${email}|${account.id}`)
    },
    async spendKey(tool, key) {
      await database.pool.query(
        `insert into idempotency_keys (tenant_id, actor_id, tool, key, arguments_hash) select $1, unnest($2::text[]), $3, $4, $5`,
        [organizer.tenantId, callers, tool, key, Buffer.alloc(32)],
      )
    },
    async end() {
      chance.end()
      await world.end()
    },
  }
}
