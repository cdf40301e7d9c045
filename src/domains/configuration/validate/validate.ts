import { toDayInZone } from '../../../kernel/time.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { type ConfigIssue, sortIssues } from '../issues.ts'
import type { Configuration } from '../read.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { findConnectionIssues } from './connections.ts'
import { findBrokenReferencesInParts } from './broken-references.ts'
import { findAmountIssues, findCrossFieldIssues } from './rules.ts'
import type { ExternalRecords } from './external-records.ts'
import { findWarningIssues } from './warnings.ts'

type Checked = Pick<Configuration, 'document' | 'config' | 'facts'>

const issueCache = new WeakMap<ConfigDocument, { cacheKey: string; issues: readonly ConfigIssue[] }>()

/**
 * Finds all issues of a structurally valid document that do not depend on registrations and orders. Cached while the event settings stay
 * the same.
 */
export function* findIssuesInParts(checked: Checked, externalRecords: ExternalRecords): CooperativeTask<readonly ConfigIssue[]> {
  const cacheKey = buildCacheKey(checked, externalRecords)
  const known = issueCache.get(checked.document)
  if (known?.cacheKey === cacheKey) return known.issues
  const issues = yield* computeIssues(checked, externalRecords)
  issueCache.set(checked.document, { cacheKey, issues })
  return issues
}

function* computeIssues({ document, config, facts }: Checked, externalRecords: ExternalRecords): CooperativeTask<ConfigIssue[]> {
  const checks = [
    () => findAmountIssues(document, facts),
    () => findConnectionIssues(config, externalRecords),
    () => findCrossFieldIssues(config, facts),
    () => findWarningIssues(document, config, facts),
  ]
  const issues = yield* findBrokenReferencesInParts(document, config, externalRecords)
  for (const check of checks) {
    yield
    issues.push(...check())
  }
  return sortIssues(issues)
}

/** Builds the cache key from all inputs of the validation except the document itself. */
function buildCacheKey({ facts: { currency, locale, locales, timezone, now } }: Checked, { connections, files }: ExternalRecords): string {
  const directories = [...connections].map(([code, { tags, fills }]) => [code, tags, fills])
  return JSON.stringify([currency, locale, locales, timezone, toDayInZone(timezone, now), directories, [...files.keys()]])
}
