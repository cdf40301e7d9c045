import { dayIn } from '../../../kernel/time.ts'
import type { InParts } from '../../../kernel/turns.ts'
import { type Issue, sortIssues } from '../issues.ts'
import type { Configuration } from '../read.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { connectionIssues } from './connections.ts'
import { namedInParts } from './named.ts'
import { amountIssues, ruleIssues } from './rules.ts'
import type { Surroundings } from './surroundings.ts'
import { warningIssues } from './warnings.ts'

type Checked = Pick<Configuration, 'document' | 'config' | 'facts'>

const kept = new WeakMap<ConfigDocument, { beside: string; issues: readonly Issue[] }>()

/** All that can be said of a document of right structure without looking at records. It is looked at once beside the same facts. */
export function* issuesInParts(checked: Checked, around: Surroundings): InParts<readonly Issue[]> {
  const beside = besideOf(checked, around)
  const known = kept.get(checked.document)
  if (known?.beside === beside) return known.issues
  const issues = yield* found(checked, around)
  kept.set(checked.document, { beside, issues })
  return issues
}

function* found({ document, config, facts }: Checked, around: Surroundings): InParts<Issue[]> {
  const looks = [
    () => amountIssues(document, facts),
    () => connectionIssues(config, around),
    () => ruleIssues(config, facts),
    () => warningIssues(document, config, facts),
  ]
  const issues = yield* namedInParts(document, config, around)
  for (const look of looks) {
    yield
    issues.push(...look())
  }
  return sortIssues(issues)
}

/** Whatever else the issues depend on. */
function besideOf({ facts: { currency, locale, locales, timezone, now } }: Checked, { connections, files }: Surroundings): string {
  const directories = [...connections].map(([code, { tags, fills }]) => [code, tags, fills])
  return JSON.stringify([currency, locale, locales, timezone, dayIn(timezone, now), directories, [...files.keys()]])
}
