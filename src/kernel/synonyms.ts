/** Argument names with the same meaning. No tool has more than one name of a group. Earlier names in a group are the better guess. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['search', 'query', 'q', 'text', 'term', 'terms', 'keyword', 'keywords', 'phrase', 'contains', 'find', 'pattern'],
  ['name', 'title', 'label', 'displayName', 'fullName', 'caption'],
  ['startsOn', 'startDate', 'start', 'from', 'dateFrom', 'begin', 'beginsOn', 'beginDate', 'date', 'day'],
  ['endsOn', 'endDate', 'end', 'until', 'to', 'dateTo', 'finish', 'through'],
  ['note', 'message', 'comment', 'remark', 'reason', 'memo', 'description'],
  ['text', 'content', 'body', 'message', 'note', 'instructions'],
  ['operations', 'ops', 'changes', 'edits', 'patch', 'patches', 'actions', 'updates'],
  ['valueJson', 'value', 'json', 'content', 'data'],
  ['path', 'pointer', 'jsonPointer', 'location', 'key'],
  ['email', 'mail', 'address', 'emailAddress', 'user', 'username', 'login', 'userEmail'],
  ['limit', 'pageSize', 'perPage', 'maxResults', 'max', 'count', 'size', 'top', 'take', 'first'],
  ['cursor', 'page', 'pageToken', 'nextCursor', 'nextPage', 'offset', 'skip', 'continuation'],
  ['eventCode', 'event', 'eventId', 'eventSlug', 'eventName', 'code', 'slug'],
  ['clientCode', 'client', 'clientId', 'clientSlug', 'organization', 'organisation', 'account', 'company'],
  ['flowSlug', 'flow', 'flowCode', 'flowId', 'form', 'formId', 'slug'],
  ['dryRun', 'preview', 'simulate', 'validateOnly', 'testRun', 'pretend'],
  ['confirmToken', 'token', 'confirmation', 'confirm', 'confirmationToken', 'approved'],
  ['idempotencyKey', 'requestId', 'requestKey', 'dedupeKey', 'nonce'],
  ['ifRevision', 'revision', 'expectedRevision', 'etag', 'ifMatch'],
  ['locale', 'language', 'lang'],
  ['locales', 'languages', 'langs'],
  ['timezone', 'zone', 'tz'],
  ['role', 'permission', 'access', 'level'],
  ['status', 'state', 'statuses'],
  ['code', 'slug', 'id', 'identifier', 'handle'],
  ['tags', 'labels', 'categories'],
  ['clear', 'unset', 'remove', 'empty', 'reset'],
  ['fields', 'columns', 'properties', 'select'],
  ['sections', 'parts', 'config', 'configuration', 'data', 'settings'],
  ['preset', 'provider', 'vendor', 'kind', 'type', 'template'],
  ['inputs', 'input', 'values', 'data', 'lookup'],
  ['connectionId', 'connection', 'directoryId', 'directory', 'id'],
  ['version', 'versionNumber', 'number', 'to', 'toVersion'],
]

const squash = (word: string) => word.toLowerCase().replaceAll(/[\s_-]+/g, '')

const GROUPS = SYNONYMS.map((names) => ({ names, squashed: new Set(names.map(squash)) }))

/** The known name with the same meaning as this word, or null. */
export function findSynonym(word: string, known: readonly string[]): string | null {
  const meant = squash(word)
  for (const { names, squashed } of GROUPS) {
    const found = squashed.has(meant) ? names.find((name) => known.includes(name)) : undefined
    if (found !== undefined) return found
  }
  return null
}
