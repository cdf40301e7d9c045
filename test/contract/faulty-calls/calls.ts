import type { Arguments } from '../examples.ts'

/** A call as assistants get it wrong, told as what differs from the call that is right. */
export interface FaultyCall {
  tool: string
  /** Which of the tool's examples is the right call. */
  example: number
  /** What the right call has beside its example. */
  right: Arguments
  /** What the wrong one has instead; undefined leaves the argument out. */
  wrong: Arguments
  /** What the refusal has to say, so that the wrong call can be made right without asking anybody. */
  needs: readonly string[]
}

type More = { example?: number; right?: Arguments }

/** The right argument under a wrong name. */
const named = (tool: string, wrong: string, name: string, value: unknown, { example = 0, right = {} }: More = {}): FaultyCall => ({
  tool,
  example,
  right: { ...right, [name]: value },
  wrong: { [name]: undefined, [wrong]: value },
  needs: [name],
})

const without = (tool: string, name: string, needs: readonly string[], { example = 0, right = {} }: More = {}): FaultyCall => ({
  tool,
  example,
  right,
  wrong: { [name]: undefined },
  needs: [name, ...needs],
})

const valued = (
  tool: string,
  name: string,
  value: unknown,
  good: unknown,
  needs: readonly string[],
  { example = 0, right = {} }: More = {},
): FaultyCall => ({
  tool,
  example,
  right: { ...right, ...(good === undefined ? {} : { [name]: good }) },
  wrong: { [name]: value },
  needs: [name, ...needs],
})

const CODE = 'a code such as'
const ROLES = ['admin', 'registrar', 'onsite', 'analyst']

/** Names that other products, and other tools of ours, give to the same thing. */
const NAMES: readonly FaultyCall[] = [
  named('list_my_events', 'query', 'search', 'x'),
  named('list_my_events', 'text', 'search', 'x'),
  named('list_my_events', 'startDate', 'from', '2027-01-01'),
  named('list_my_events', 'endDate', 'until', '2029-01-01'),
  named('list_my_events', 'pageSize', 'limit', 5),
  named('list_my_events', 'statuses', 'status', ['draft']),
  named('list_clients', 'q', 'search', 'x'),
  named('list_clients', 'isActive', 'active', true),
  named('list_events', 'keyword', 'search', 'x'),
  named('list_events', 'max_results', 'limit', 5),
  named('get_setup_tasks', 'only_open', 'onlyOpen', true),
  named('config_explore', 'pointer', 'path', '/tags'),
  named('config_explore', 'levels', 'depth', 1),
  named('config_explore', 'includes', 'include', ['values']),
  named('config_find', 'query', 'text', 'gold', { right: { text: undefined } }),
  named('config_find', 'pattern', 'regex', 'gold', { example: 1 }),
  named('config_find', 'per_page', 'limit', 5),
  named('config_set', 'ops', 'operations', [{ op: 'set', path: '/details/summary', valueJson: '"x"' }]),
  named('config_set', 'changes', 'operations', [{ op: 'set', path: '/details/summary', valueJson: '"x"' }]),
  named('config_set', 'message', 'note', 'x'),
  named('config_set', 'preview', 'dryRun', true),
  named('validate_schema', 'candidate', 'candidateJson', '{"name":"x"}'),
  named('validate_schema', 'level', 'levels', ['reference']),
  named('publish_event', 'message', 'note', 'x'),
  named('publish_event', 'comment', 'note', 'x'),
  named('publish_event', 'acceptWarning', 'acceptWarnings', true),
  named('list_versions', 'count', 'limit', 5),
  named('diff_versions', 'fromVersion', 'from', '1', { example: 1 }),
  named('diff_versions', 'toVersion', 'to', '2', { example: 1 }),
  named('diff_versions', 'output_format', 'format', 'text', { example: 1 }),
  named('reset_to_version', 'versionNumber', 'version', 1, { right: { dryRun: true } }),
  named('reset_to_version', 'section', 'path', '/details', { right: { dryRun: true } }),
  named('review_flow', 'flow', 'flowSlug', 'to-review', { example: 1 }),
  named('review_flow', 'person', 'personJson', '{}', { example: 1 }),
  named('review_flow', 'check', 'checks', ['F01'], { example: 1 }),
  named('list_directory_presets', 'query', 'search', 'm'),
  named('list_directory_connections', 'state', 'status', 'ready'),
  named('create_directory_connection', 'title', 'name', 'Members A'),
  named('create_directory_connection', 'template', 'preset', 'generic-rest'),
  named('create_directory_connection', 'base_url', 'baseUrl', 'https://directory.example'),
  named('configure_directory_connection', 'is_enabled', 'enabled', false, { example: 1 }),
  named('configure_directory_connection', 'timeout', 'timeoutMs', 2000, { example: 1 }),
  named('configure_directory_connection', 'tag_rules', 'tagRules', [], { example: 1 }),
  named('test_directory_connection', 'input', 'inputs', { email: 'ada@example.org' }),
  named('test_directory_connection', 'expected', 'expect', 'found'),
  named('list_event_staff', 'roles', 'role', 'registrar'),
  named('assign_event_staff', 'emailAddress', 'email', 'new-a@staff.example', { example: 1, right: { name: 'Nora' } }),
  named('assign_event_staff', 'permission', 'role', 'onsite', { example: 1 }),
  named('assign_event_staff', 'send_invite', 'sendInvite', false, { example: 1 }),
  named('search_memories', 'search', 'query', 'wallaby'),
  named('search_memories', 'labels', 'tags', ['wallaby']),
  named('retrieve_memories', 'pinned', 'pinnedOnly', false, { example: 1 }),
  named('update_client', 'currency', 'defaultCurrency', 'CHF'),
  named('update_client', 'timezone', 'defaultTimezone', 'Europe/Zurich'),
  named('update_client', 'payment_terms', 'paymentTermsDays', 14),
  named('update_client', 'title', 'name', 'Another name'),
  named('update_client', 'unset', 'clear', ['billing']),
  named('create_event', 'title', 'name', 'Spring meeting'),
  named('create_event', 'startDate', 'startsOn', '2028-05-09'),
  named('create_event', 'endDate', 'endsOn', '2028-05-11'),
  named('create_event', 'slug', 'code', 'spring-one'),
  named('create_event', 'tz', 'timezone', 'Europe/Paris'),
  named('create_event', 'language', 'locale', 'fr'),
  named('configure_event', 'configuration', 'sections', { tags: [{ code: 'a', name: 'A' }] }),
  named('update_event', 'title', 'name', 'Renamed'),
  named('update_event', 'languages', 'locales', ['en', 'fr'], { example: 1 }),
  named('update_event', 'test_mode', 'testMode', true),
  named('update_event', 'zone', 'timezone', 'Europe/Berlin'),
  named('clone_event', 'name', 'newName', 'Next year'),
  named('clone_event', 'code', 'newCode', 'next-year'),
  named('clone_event', 'startDate', 'startsOn', '2028-05-09'),
  named('copy_event_config', 'conflict', 'onConflict', 'skip', { example: 1 }),
  named('list_event_config_items', 'query', 'search', 'x'),
  named('archive_event', 'message', 'reason', 'over', { right: { dryRun: true } }),
  named('import_products', 'columns', 'mapping', [{ column: 'name', field: 'name' }]),
  named('setup_import_flow', 'system', 'sourceSystem', 'elsewhere'),
  named('delete_test_imports', 'dry_run', 'dryRun', true),
]

/** Something that has to be there is not. */
const MISSING: readonly FaultyCall[] = [
  without('config_set', 'operations', ['a list of', 'op:', 'set, insert, remove', 'path', 'valueJson']),
  without('config_set', 'eventCode', [CODE]),
  without('reset_to_version', 'version', ['a whole number'], { right: { dryRun: true } }),
  without('describe_directory_connection', 'connection', ['a text']),
  without('create_directory_connection', 'name', ['a text']),
  without('create_directory_connection', 'preset', []),
  without('set_directory_credential', 'name', []),
  without('test_directory_connection', 'inputs', ['{', 'email']),
  without('assign_event_staff', 'role', ROLES),
  without('assign_event_staff', 'email', ['an email address']),
  without('search_memories', 'query', ['a text']),
  without('update_client', 'clientCode', [CODE]),
  without('create_event', 'name', ['a text']),
  without('create_event', 'startsOn', ['YYYY-MM-DD']),
  without('create_event', 'endsOn', ['YYYY-MM-DD']),
  without('configure_event', 'sections', ['an object']),
  without('clone_event', 'newCode', [CODE]),
  without('clone_event', 'startsOn', ['YYYY-MM-DD']),
  without('copy_event_config', 'fromEventCode', [CODE], { example: 1 }),
  without('list_events', 'clientCode', [CODE]),
  without('import_event', 'setupId', ['an id of 24']),
  without('import_event', 'mode', ['test', 'live']),
]

/** The right name with a value of another kind, out of bounds, or of words that are none of ours. */
const VALUES: readonly FaultyCall[] = [
  valued('list_my_events', 'status', ['open'], ['draft'], ['draft', 'published', 'archived']),
  valued('list_my_events', 'status', 'draft', ['draft'], ['a list of', 'draft']),
  valued('list_my_events', 'limit', 500, 100, ['1 to 100']),
  valued('list_my_events', 'limit', 'ten', 10, ['a whole number', '100']),
  valued('list_my_events', 'from', '01.02.2027', '2027-02-01', ['YYYY-MM-DD']),
  valued('list_my_events', 'from', '2027-02-30', '2027-02-28', ['2027-02-30']),
  valued('config_explore', 'depth', 99, 2, ['from', 'to']),
  valued('config_explore', 'include', ['value'], ['values'], ['values', 'schema', 'usage']),
  valued('config_explore', 'include', 'values', ['values'], ['a list of']),
  valued('config_set', 'operations', {}, undefined, ['a list of', 'op', 'path']),
  valued('config_set', 'operations', [{ op: 'replace', path: '/details/summary', valueJson: '"x"' }], undefined, [
    'set, insert, remove, move, rename',
  ]),
  valued('config_set', 'operations', [{ op: 'set', path: '/details/summary', value: '"x"' }], undefined, ['valueJson']),
  valued('config_set', 'operations', [{ op: 'set' }], undefined, ['path']),
  valued('config_set', 'operations', ['set /details/summary'], undefined, ['op', 'path', 'valueJson']),
  valued('config_set', 'operations', [], undefined, ['needs an operation']),
  valued('config_set', 'ifRevision', 'latest', undefined, ['a whole number']),
  valued('validate_schema', 'levels', ['errors'], ['reference'], ['structure', 'reference', 'warning']),
  valued('diff_versions', 'format', 'markdown', 'text', ['structured', 'text'], { example: 1 }),
  valued('diff_versions', 'from', 1, undefined, ['a text'], { example: 1 }),
  valued('reset_to_version', 'version', 'v1', 1, ['a whole number'], { right: { dryRun: true } }),
  valued('reset_to_version', 'version', 0, 1, ['at least 1'], { right: { dryRun: true } }),
  valued('review_flow', 'levels', ['critical'], ['error'], ['error', 'warning'], { example: 1 }),
  valued('list_directory_connections', 'status', 'active', 'ready', ['draft', 'ready', 'failing', 'disabled']),
  valued('create_directory_connection', 'onFailure', 'continue', 'allow', ['allow', 'block', 'queue']),
  valued('create_directory_connection', 'cacheMinutes', -1, 5, ['from 0']),
  valued('create_directory_connection', 'settings', 'org=x', undefined, ['an object']),
  valued('create_directory_connection', 'preset', 'saleforce', undefined, ['salesforce']),
  valued('configure_directory_connection', 'auth', { kind: 'oauth' }, undefined, ['oauth2ClientCredentials']),
  valued('configure_directory_connection', 'bindings', [{ source: '$.Email', to: '@participant.email' }], undefined, ['from']),
  valued('configure_directory_connection', 'bindings', [{ from: '$.Email', to: '@participant.email', mode: 'fill' }], undefined, [
    'prefill',
    'overwrite',
    'lock',
  ]),
  valued('configure_directory_connection', 'timeoutMs', 1, 2000, ['from', 'to'], { example: 1 }),
  valued('configure_directory_requests', 'lookup', { url: '/members' }, undefined, ['path']),
  valued('configure_directory_requests', 'lookup', 'GET /members', undefined, ['path', 'query']),
  valued('test_directory_connection', 'inputs', 'ada@example.org', undefined, ['email']),
  valued('test_directory_connection', 'expect', 'yes', 'found', ['found', 'notFound']),
  valued('list_event_staff', 'role', 'owner', 'registrar', ROLES),
  valued('assign_event_staff', 'role', 'editor', undefined, ROLES),
  valued('assign_event_staff', 'email', 'tom at agency', undefined, ['not an email address']),
  valued('assign_event_staff', 'sendInvite', 'no', false, ['true or false'], { example: 1 }),
  valued('remove_event_staff', 'userId', 'tom', undefined, ['24 characters']),
  valued('search_memories', 'scope', 'global', 'all', ['client', 'event', 'all']),
  valued('search_memories', 'tags', 'wallaby', ['wallaby'], ['a list of']),
  valued('retrieve_memories', 'ids', ['42'], undefined, ['24 characters']),
  valued('retrieve_memories', 'since', 'January', undefined, ['2027-03-01T09:00:00.000Z'], { example: 1 }),
  valued('update_client', 'defaultCurrency', 'Euro', 'EUR', ['ISO 4217']),
  valued('update_client', 'defaultTimezone', 'Berlin', 'Europe/Berlin', ['Europe/Berlin']),
  valued('update_client', 'establishedIn', 'Germany', 'DE', ['ISO 3166-1']),
  valued('update_client', 'brand', { colour: '#336699' }, undefined, ['color']),
  valued('update_client', 'brand', { color: 'blue' }, undefined, ['#rrggbb']),
  valued('update_client', 'billing', { iban: 'x' }, { legalName: 'x' }, ['legalName', 'bankDetails'], { example: 1 }),
  valued('update_client', 'taxRegistrations', [{ country: 'DE' }], undefined, ['number', 'from'], { example: 2 }),
  valued('update_client', 'paymentTermsDays', 400, 365, ['0 to 365']),
  valued('update_client', 'clear', ['name'], ['billing'], ['brand', 'establishedIn', 'billing']),
  valued('create_event', 'template', 'congress', 'conference', ['blank', 'conference', 'tradeShow', 'meeting', 'virtual'], { example: 1 }),
  valued('create_event', 'startsOn', 'May 9, 2028', undefined, ['YYYY-MM-DD']),
  valued('create_event', 'currency', 'Swiss francs', 'CHF', ['ISO 4217'], { example: 1 }),
  valued('create_event', 'locale', 'german', 'de', ['locale'], { example: 1 }),
  valued('create_event', 'code', 'Spring Meeting', undefined, ['a-z, 0-9']),
  valued('configure_event', 'sections', { tickets: [] }, undefined, ['products']),
  valued('configure_event', 'sections', [{ tags: [] }], undefined, ['an object']),
  valued('import_products', 'mode', 'replace', 'upsert', ['upsert', 'create']),
  valued('import_event', 'onRowError', 'ignore', 'skip', ['skip', 'stop']),
  valued('update_event', 'locales', ['english'], ['en', 'fr'], ['locales'], { example: 1 }),
  valued('update_event', 'testMode', 'off', true, ['true or false']),
  valued('clone_event', 'dateShift', 'move', 'shift', ['shift', 'clear', 'keep'], { example: 1 }),
  valued('copy_event_config', 'onConflict', 'overwrite', 'replace', ['replace', 'skip', 'rename'], { example: 1 }),
  valued('copy_event_config', 'items', ['tags/vip'], undefined, ['section', 'code']),
  valued('list_my_events', 'clientCode', 'no such client', undefined, ['a-z, 0-9']),
]

/** Right in every part, and about something that is not there: the refusal says where to look. */
const UNKNOWN: readonly FaultyCall[] = [
  valued('get_setup_tasks', 'eventCode', 'summit-2099', undefined, []),
  valued('config_explore', 'path', '/product', '/products', ['products']),
  valued('config_explore', 'path', '/details/nam', '/details/name', ['name']),
  valued('config_set', 'operations', [{ op: 'set', path: '/detail/summary', valueJson: '"x"' }], undefined, ['details']),
  valued('config_set', 'operations', [{ op: 'set', path: '/details/summary', valueJson: 'plain text' }], undefined, ['JSON']),
  valued('diff_versions', 'from', '99', undefined, ['list_versions'], { example: 1 }),
  valued('reset_to_version', 'version', 99, 1, ['list_versions'], { right: { dryRun: true } }),
  valued('review_flow', 'flowSlug', 'to-revue', undefined, ['to-review'], { example: 1 }),
  valued('describe_directory_connection', 'connection', 'members', undefined, ['list_directory_connections']),
  valued('delete_directory_connection', 'connection', 'members', undefined, ['list_directory_connections'], { right: { dryRun: true } }),
  valued('list_events', 'clientCode', 'nobody', undefined, ['list_clients']),
  valued('copy_event_config', 'fromEventCode', 'nowhere', undefined, ['fromEventCode'], { example: 1, right: { dryRun: true } }),
]

/** Looking at registrations. */
const READING: readonly FaultyCall[] = [
  named('get_registration_summary', 'startDate', 'from', '2026-01-01'),
  valued('get_registration_summary', 'until', '31.12.2027', '2027-12-31', ['YYYY-MM-DD']),
  valued('get_registration_summary', 'flowSlug', 'atendee', 'attendee', ['attendee']),
  named('get_flow_summary', 'flow', 'flowSlug', 'attendee'),
  without('get_flow_summary', 'flowSlug', [CODE]),
  valued('get_flow_summary', 'device', 'phone', 'mobile', ['desktop', 'mobile', 'assistant']),
  named('describe_participant_flow', 'form', 'flowSlug', 'attendee', { example: 1 }),
  valued('describe_participant_flow', 'asTags', ['vpi'], ['vip'], ['vip'], { example: 1 }),
  named('find_participants', 'query', 'search', 'x'),
  valued('find_participants', 'status', ['registered'], ['complete'], ['incomplete', 'complete']),
  valued('find_participants', 'balance', 'open', 'due', ['due', 'credit', 'settled']),
  valued('find_participants', 'tagsAll', ['vpi'], ['vip'], ['vip']),
  valued('find_participants', 'productCode', 'diner', 'dinner', ['dinner']),
  valued('get_participant', 'include', ['order'], ['orders'], ['orders', 'history']),
  named('get_participant', 'includeTest', 'includeTestData', true),
]

export const FAULTY_CALLS: readonly FaultyCall[] = [...NAMES, ...MISSING, ...VALUES, ...UNKNOWN, ...READING]
