import type { Tool } from '../../src/kernel/tool.ts'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { callOperatorTool } from '../../src/surfaces/feedback-mcp/call-operator-tool.ts'
import { callTool } from '../../src/surfaces/mcp/call-tool.ts'
import { resultMembers } from '../../src/surfaces/mcp/outcome.ts'
import { personAt, type PersonHandle } from '../support/participants.ts'
import { type EventPlace, type OrganizerHandle, type Place, RESOURCE, type ToolAnswer, type World } from '../support/world.ts'

export type Arguments = Record<string, unknown>

/** Somebody who calls tools, by whichever road theirs take. */
export interface Caller {
  answer: (tool: string, args?: Arguments) => Promise<ToolAnswer>
  /** Under whom their changes are audited; null where there is no audit log. */
  audited: { actor: string; app: string } | null
}

/** A place where every tool can be called: a client with an event, an administrator of it, and something in every list. */
export interface Stage {
  world: World
  home: EventPlace
  /** Another event of the same client. */
  sibling: EventPlace
  admin: OrganizerHandle
  /** Somebody who registered for the event and signed in. */
  person: PersonHandle
  /** Who calls a tool here: whoever it is for. */
  callerOf: (tool: Pick<Tool, 'scope'>) => Caller
  /** In every name and text of this stage and of no other: where it shows up elsewhere, something leaked. */
  word: string
  /** A new text with the word in it. */
  text: () => string
}

let made = 0

/** Codes carry no word, since callers may send the code of a foreign place and are answered with it. */
export async function stageAt(world: World, { tenant, word }: { tenant: string; word: string }): Promise<Stage> {
  const number = ++made
  const clients: Place[] = []
  for (const part of ['main', 'second', 'third']) {
    clients.push(await world.client({ tenant, code: `stage${number}-${part}`, name: `${word} ${part}` }))
  }
  const [client] = clients as [Place, ...Place[]]
  const event = (code: string, startsOn: string, status: 'draft' | 'published' | 'archived' = 'published') =>
    world.event({ at: client, code: `stage${number}-${code}`, name: `${word} ${code}`, city: word, startsOn, status })
  const home = await event('home', '2027-05-11')
  const sibling = await event('sibling', '2027-05-11')
  await event('draft', '2027-06-01', 'draft')
  await event('ended', '2024-05-11')
  await event('archived', '2024-05-11', 'archived')
  const admin = await world.organizer({ at: clients, name: `Olga ${word}`, email: `olga@${word}${number}.example` })
  let texts = 0
  const person = await personAt(world, home, { email: `petra@${word}${number}.example` })
  return {
    world,
    home,
    sibling,
    admin,
    person,
    callerOf: ({ scope }) => callersAt({ world, home, admin, person })[scope](),
    word,
    text: () => `${word} ${number}-${++texts}`,
  }
}

type Cast = Pick<Stage, 'world' | 'home' | 'admin' | 'person'>

function callersAt({ world, home, admin, person }: Cast): Record<Tool['scope'], () => Caller> {
  const organizer = () => ({ answer: admin.answer, audited: { actor: admin.userId, app: 'Test app' } })
  const participant = () => ({
    answer: person.answer,
    audited: { actor: `${home.eventId}:${person.email.toLowerCase()}`, app: 'Concierge' },
  })
  const nobodyYet = () => ({ answer: person.with({ session: null }).answer, audited: { actor: person.accountId, app: 'Concierge' } })
  return {
    account: organizer,
    client: organizer,
    event: organizer,
    signIn: nobodyYet,
    person: participant,
    registrant: participant,
    operator: () => operatorOf(world),
  }
}

/** Let in once for all of their calls: who they are is read by the same statement whatever they call, which takes longer than to refuse it. */
export async function letInOnce(
  { database, road, tools }: World,
  { token }: Pick<OrganizerHandle, 'token'>,
): Promise<Pick<Caller, 'answer'>> {
  const organizer = (await verifyOrganizer(database.pool, token, RESOURCE))!
  return {
    answer: async (name, args = {}) =>
      JSON.parse(`{${resultMembers(await callTool(road, organizer, tools.get(name)!, args))}}`) as ToolAnswer,
  }
}

/** The same stage for calls that are refused by what they say, whoever says it. */
export async function withAdminLetIn(stage: Stage): Promise<Stage> {
  const { answer } = await letInOnce(stage.world, stage.admin)
  return {
    ...stage,
    callerOf: (tool) => ({
      ...stage.callerOf(tool),
      ...(['account', 'client', 'event'].includes(tool.scope) ? { answer } : {}),
    }),
  }
}

/** The same place with somebody else registered there, whose texts have another word. */
export async function withAnotherPerson(stage: Stage, word: string): Promise<Stage> {
  const { world, home, admin } = stage
  const person = await personAt(world, home, { email: `paul@${word}${++made}.example` })
  let texts = 0
  return {
    ...stage,
    person,
    word,
    text: () => `${word} ${++texts}`,
    callerOf: ({ scope }) => callersAt({ world, home, admin, person })[scope](),
  }
}

const operatorOf = ({ road }: World): Caller => ({
  async answer(name, args = {}) {
    const tool = FEEDBACK_TOOLS.find((one) => one.name === name)!
    return JSON.parse(`{${resultMembers(await callOperatorTool(road, tool, args))}}`) as ToolAnswer
  },
  audited: null,
})

/** Without these a call is refused for where it acts before anybody looks at what it says. */
export const codesFor = ({ scope }: Pick<Tool, 'scope'>, { home }: Pick<Stage, 'home'>): Arguments => ({
  ...(scope === 'event' ? { eventCode: home.eventCode } : {}),
  ...(scope === 'client' ? { clientCode: home.clientCode } : {}),
})

/** The same client seen from its other event: what exists here must be unknown at home. */
export const atSibling = (stage: Stage): Stage => ({ ...stage, home: stage.sibling, sibling: stage.home })
