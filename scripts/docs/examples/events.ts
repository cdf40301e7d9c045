import { rehearseFlowJob } from '../../../src/domains/rehearsals/rehearse.ts'
import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

const MEMBERS = { ...SUMMIT_SCOPE, connection: 'acme-members' }

const lookup = {
  path: '/members',
  query: { email: '{{input.email}}' },
  headers: { 'x-key': '{{secret.key}}' },
  inputs: ['email'],
  resultPath: '$.members',
}

const set = (path: string, value: unknown) => ({ op: 'set', path, valueJson: JSON.stringify(value) })

async function memoryIds(stage: DemoScenario): Promise<string[]> {
  const { memories } = await stage.call('search_memories', { ...SUMMIT_SCOPE, query: 'parking at the gate' })
  return memories.slice(0, 1).map(({ id }: { id: string }) => id)
}

/** Configuration, versions and flows, then imports and directories, then staff. */
export const EVENT_EXAMPLES: Examples = {
  list_my_events: () => ({ search: 'summit', status: ['published'] }),
  get_setup_tasks: () => ({ ...SUMMIT_SCOPE, onlyOpen: true }),
  config_explore: () => ({ ...SUMMIT_SCOPE, path: '/products/gala-dinner', include: ['values', 'usage'] }),
  config_find: () => ({ ...SUMMIT_SCOPE, binding: '@custom.diet' }),
  validate_schema: () => ({
    ...SUMMIT_SCOPE,
    path: '/products/harbour-walk',
    candidateJson: JSON.stringify({ code: 'harbour-walk', name: 'Harbour walk', category: 'tour', requires: ['day-pass'] }),
  }),
  list_versions: () => SUMMIT_SCOPE,
  review_flow: () => ({ ...SUMMIT_SCOPE, flowSlug: 'attendee' }),
  search_memories: () => ({ ...SUMMIT_SCOPE, query: 'where do we park' }),
  retrieve_memories: async (stage) => ({ ...SUMMIT_SCOPE, ids: await memoryIds(stage) }),
  get_custom_instructions: () => SUMMIT_SCOPE,
  list_directory_presets: () => ({ ...SUMMIT_SCOPE, limit: 2 }),
  create_directory_connection: () => ({
    ...SUMMIT_SCOPE,
    name: 'Acme members',
    preset: 'generic-rest',
    baseUrl: 'https://members.acme.example/api',
    onFailure: 'queue',
  }),
  list_directory_connections: () => SUMMIT_SCOPE,
  configure_directory_requests: () => ({ ...MEMBERS, lookup }),
  set_directory_credential: () => ({ ...MEMBERS, name: 'key', value: 'the key that the directory gave you' }),
  configure_directory_connection: () => ({
    ...MEMBERS,
    cacheMinutes: 30,
    bindings: [{ from: '$.Email', to: '@participant.email', transform: 'trim' }],
    tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'member' }],
  }),
  test_directory_connection: () => ({ ...MEMBERS, inputs: { email: 'ada@example.org' }, expect: 'found' }),
  describe_directory_connection: () => MEMBERS,
  list_directory_binding_options: () => MEMBERS,
  delete_directory_connection: () => MEMBERS,
  config_set: () => ({ ...SUMMIT_SCOPE, operations: [set('/products/gala-dinner/capacity', 140)], note: 'The river room takes more tables' }),
  publish_event: async (stage) => {
    await stage.call('config_set', { ...SUMMIT_SCOPE, operations: [set('/products/gala-dinner/capacity', 140)] })
    return { ...SUMMIT_SCOPE, note: 'More tables at the dinner' }
  },
  diff_versions: () => SUMMIT_SCOPE,
  reset_to_version: () => ({ ...SUMMIT_SCOPE, version: 1 }),
  rehearse_flow: () => ({ ...SUMMIT_SCOPE, flowSlug: 'speaker', maxPeople: 4, seed: 7 }),
  get_flow_rehearsal: async (stage) => {
    const { rows } = await stage.world.database.pool.query<{ job_id: string }>(
      `select t.job_id from test_runs t join rehearsals r on r.tenant_id = t.tenant_id and r.event_id = t.event_id and r.id = t.id
       join events e on e.tenant_id = t.tenant_id and e.id = t.event_id where e.code = $1 order by t.id desc limit 1`,
      [SUMMIT_SCOPE.eventCode],
    )
    await stage.run(rehearseFlowJob, rows[0]!.job_id)
    return { ...SUMMIT_SCOPE, flowSlug: 'speaker' }
  },
  assign_event_staff: () => ({ ...SUMMIT_SCOPE, email: 'rita@desk.demo.example', name: 'Rita Ramos', role: 'registrar', note: 'Front desk' }),
  list_event_staff: () => ({ ...SUMMIT_SCOPE, role: 'registrar' }),
  remove_event_staff: () => ({ ...SUMMIT_SCOPE, email: 'rita@desk.demo.example' }),
}
