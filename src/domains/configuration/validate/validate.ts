import { type Issue, sortIssues } from '../issues.ts'
import type { Configuration } from '../read.ts'
import { namedIssues } from './named.ts'
import { amountIssues, ruleIssues } from './rules.ts'
import type { Surroundings } from './surroundings.ts'
import { warningIssues } from './warnings.ts'

/** All that can be said of a document of right structure without looking at records. */
export const issuesOf = (
  { document, config, facts }: Pick<Configuration, 'document' | 'config' | 'facts'>,
  around: Surroundings,
): Issue[] =>
  sortIssues([
    ...amountIssues(document, facts),
    ...namedIssues(document, config, around),
    ...ruleIssues(config, facts),
    ...warningIssues(document, config, facts),
  ])
