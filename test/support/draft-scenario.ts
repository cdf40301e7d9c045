import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type EventHandle, newWorld, type OrganizerHandle, type ToolRefusal, type World } from './world.ts'

/** A configuration edit as tests write it, with the value itself instead of its JSON. */
export interface DraftConfigEdit {
  op: string
  path: string
  value?: unknown
  [key: string]: unknown
}

/** One world per file, and for each test a new event that was never published, with an administrator. */
export interface DraftScenario {
  world: World
  event: EventHandle
  olga: OrganizerHandle
  /** Calls a tool at the event and returns its structured result. */
  call: (tool: string, args?: object) => Promise<any>
  refused: (tool: string, args?: object) => Promise<ToolRefusal>
  set: (edits: readonly DraftConfigEdit[], more?: object) => Promise<any>
  setRefused: (edits: readonly DraftConfigEdit[], more?: object) => Promise<ToolRefusal>
}

const operationsOf = (edits: readonly DraftConfigEdit[]) =>
  edits.map(({ value, ...rest }) => (value === undefined ? rest : { ...rest, valueJson: JSON.stringify(value) }))

/** Creates the scenario; call it once at the top of a test file. The returned object is filled before each test. */
export function useDraftScenario(options: Parameters<World['event']>[0] = {}): DraftScenario {
  const at = (args: object) => ({ eventCode: scenario.event.eventCode, ...args })
  const scenario = {
    call: (tool, args = {}) => scenario.olga.call(tool, at(args)),
    refused: (tool, args = {}) => scenario.olga.refused(tool, at(args)),
    set: (edits, more = {}) => scenario.call('config_set', { operations: operationsOf(edits), ...more }),
    setRefused: (edits, more = {}) => scenario.refused('config_set', { operations: operationsOf(edits), ...more }),
  } as DraftScenario
  beforeAll(async () => {
    scenario.world = await newWorld()
  })
  afterAll(() => scenario.world.end())
  beforeEach(async () => {
    scenario.event = await scenario.world.event({ status: 'draft', ...options })
    scenario.olga = await scenario.world.organizer({ at: scenario.event })
  })
  return scenario
}

/** The smallest edit after which a draft can be published. */
export const CONTACT_EMAIL_EDIT: DraftConfigEdit = { op: 'set', path: '/details/contactEmail', value: 'team@example.org' }

export const buildTagEdit = (code: string): DraftConfigEdit => ({ op: 'insert', path: `/tags/${code}`, value: { name: code } })

export const buildProductEdit = (code: string, more: object = {}): DraftConfigEdit => ({
  op: 'insert',
  path: `/products/${code}`,
  value: { name: code, category: 'admission', prices: [{ amount: '450.00' }], ...more },
})

export const buildFlowEdit = (slug: string, pages: unknown[], more: object = {}): DraftConfigEdit => ({
  op: 'insert',
  path: `/flows/${slug}`,
  value: { name: slug, pages, ...more },
})

/** Inserts registrations with only the data that a configuration change must not orphan. */
export async function insertRegistrations(
  { world, event }: DraftScenario,
  rows: readonly { flow?: string; tags?: string[]; answers?: object }[],
): Promise<void> {
  for (const [index, { flow: slug = null, tags = [], answers = {} }] of rows.entries()) {
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, flow_slug, manual_tags, custom_field_responses, completed_at, confirmation_number)
       values ($1, $2, $3, 'complete', $4, $5, $6, lanyard_now(), $3)`,
      [event.tenantId, event.eventId, index.toString(16).padStart(24, 'a'), slug, tags, JSON.stringify(answers)],
    )
  }
}

/** The stored draft's value at a path of plain keys and indexes. */
export async function readStoredDraft({ world, event }: DraftScenario, path: string): Promise<any> {
  const { rows } = await world.database.pool.query<{ document: any }>(
    `select document from config_drafts where tenant_id = $1 and event_id = $2`,
    [event.tenantId, event.eventId],
  )
  return path
    .split('/')
    .slice(1)
    .reduce((part: any, name) => part?.[name], rows[0]?.document)
}
