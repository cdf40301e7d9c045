import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { PERMISSIONS, type Permissions, permissionsAnywhere, permissionsOf, type Role, ROLES } from '../../src/kernel/permissions.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { toolsetViews } from '../../src/surfaces/mcp/views.ts'
import { newWorld, type OrganizerHandle, RESOURCE, type World } from '../support/world.ts'
import { SPECIFIED_PERMISSIONS, specifiedPermissionsOf } from './permission-table.ts'
import { plantedTool } from './planted.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { type Stage, stageAt } from './stage.ts'

function problemsOfGrants(grants: (role: Role) => Permissions): string[] {
  return ROLES.flatMap((role) => {
    const [given, specified] = [grants(role), new Set(specifiedPermissionsOf(role))]
    return [
      ...[...given].filter((permission) => !specified.has(permission)).map((permission) => `${role} has ${permission}`),
      ...[...specified].filter((permission) => !given.has(permission)).map((permission) => `${role} lacks ${permission}`),
    ]
  })
}

describe('the table of roles', () => {
  it('is the specified one: 33 permissions, 11 roles', () => {
    expect(PERMISSIONS.toSorted()).toEqual(SPECIFIED_PERMISSIONS.toSorted())
    expect(new Set(PERMISSIONS).size).toBe(33)
    expect(ROLES).toEqual([
      'admin',
      'manager',
      'registrar',
      'housing',
      'exhibits',
      'marketer',
      'program',
      'sourcing',
      'finance',
      'onsite',
      'analyst',
    ])
    expect(problemsOfGrants((role) => permissionsOf([role]))).toEqual([])
  })

  it('would be reported when a role could do more or less', () => {
    const shifted = (role: Role) => permissionsOf([role === 'onsite' ? 'program' : role])
    expect(problemsOfGrants(shifted)).toEqual([
      'onsite has sessions.read',
      'onsite has sessions.write',
      'onsite has events.read',
      'onsite has reports.read',
      'onsite has email.send',
      'onsite lacks onsite.read',
      'onsite lacks onsite.write',
    ])
  })
})

const refusing = (name: string, sentence: string) => plantedTool({ name, run: () => Promise.reject(new AppError('forbidden', sentence)) })

const PLANTED: readonly Tool[] = [
  refusing('planted_late', 'Forbidden — planted_late requires the email.send permission'),
  refusing('planted_wordy', 'Forbidden: planted_wordy needs more'),
  plantedTool({ name: 'planted_free', permission: 'events.write' }),
]

let world: World
let stage: Stage
const people = new Map<Role, OrganizerHandle>()

beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, ...PLANTED])] })
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
  for (const role of ROLES) people.set(role, await world.organizer({ role, at: stage.home }))
})
afterAll(() => world.end())

const scopeArguments = ({ scope }: Tool, { home } = stage) => ({
  ...(scope === 'event' ? { eventCode: home.eventCode } : {}),
  ...(scope === 'client' ? { clientCode: home.clientCode } : {}),
})

/** As the organizer endpoint does it for a request. */
async function listedFor(person: OrganizerHandle, tools: readonly Tool[]): Promise<Set<string>> {
  const organizer = await verifyOrganizer(world.database.pool, person.token, RESOURCE)
  const view = toolsetViews([toolset('all', tools)])(null, permissionsAnywhere(organizer!.access))
  return new Set(view.list.map(({ name }) => name))
}

/** Listed is what can be called and nothing else; what cannot be called says so in the specified sentence. */
async function problemsOfRole(role: Role, tools: readonly Tool[], listed: ReadonlySet<string>): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const { isError, content, _meta } = await people.get(role)!.answer(tool.name, scopeArguments(tool))
    const text = content[0]!.text!
    const forbidden = isError && _meta!['lanyard/error'].code === 'forbidden'
    if (forbidden && text !== `Forbidden — ${tool.name} requires the ${tool.permission} permission`) {
      problems.push(`${tool.name} refuses ${role} in other words: ${text}`)
    }
    if (forbidden && listed.has(tool.name)) problems.push(`${tool.name} is listed for ${role} and refuses`)
    if (!forbidden && !listed.has(tool.name)) problems.push(`${tool.name} is not listed for ${role} and answers`)
  }
  return problems
}

describe('a role', () => {
  it.each(ROLES)('%s is shown exactly the tools that it can call', async (role) => {
    const listed = await listedFor(people.get(role)!, ORGANIZER_TOOLS)
    expect(await problemsOfRole(role, ORGANIZER_TOOLS, listed)).toEqual([])
  })

  it('would be reported when list and call disagree, or the refusal is worded otherwise', async () => {
    const listed = await listedFor(people.get('admin')!, PLANTED)
    expect(await problemsOfRole('admin', PLANTED, listed)).toEqual([
      'planted_late refuses admin in other words: Forbidden — planted_late requires the email.send permission',
      'planted_late is listed for admin and refuses',
      'planted_wordy refuses admin in other words: Forbidden: planted_wordy needs more',
      'planted_wordy is listed for admin and refuses',
    ])
    expect(await problemsOfRole('admin', PLANTED.slice(2), new Set())).toEqual(['planted_free is not listed for admin and answers'])
  })

  it('held at one client opens nothing at another', async () => {
    const elsewhere = await stageAt(world, { tenant: 'demo', word: 'numbat' })
    const both = await world.organizer({ role: 'admin', at: elsewhere.home })
    await world.database.pool.query(`insert into memberships (tenant_id, user_id, client_id, role) values ($1, $2, $3, 'onsite')`, [
      stage.home.tenantId,
      both.userId,
      stage.home.clientId,
    ])
    await world.database.pool.query(`update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id`)
    const scoped = ORGANIZER_TOOLS.filter(({ scope, permission }) => scope !== 'account' && permission !== null)
    const listed = await listedFor(both, scoped)
    expect(scoped.filter(({ name }) => !listed.has(name))).toEqual([])
    for (const tool of scoped.filter(({ permission }) => !permissionsOf(['onsite']).has(permission!))) {
      expect((await both.refused(tool.name, scopeArguments(tool))).message).toBe(
        `Forbidden — ${tool.name} requires the ${tool.permission} permission`,
      )
    }
  })
})
