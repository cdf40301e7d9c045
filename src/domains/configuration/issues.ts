import { z } from 'zod'
import { list, object, oneOf, text } from '../../kernel/args.ts'

export const ISSUE_LEVELS = ['structure', 'reference', 'orphan', 'warning'] as const
export type IssueLevel = (typeof ISSUE_LEVELS)[number]

/** One problem of a configuration document, with its path and how to fix it. */
export interface ConfigIssue {
  level: IssueLevel
  code: string
  path: string
  message: string
  value?: string | undefined
  hint?: string | undefined
  records?: { kind: string; count: number } | undefined
}

export const IssueShape = object({
  level: oneOf(ISSUE_LEVELS),
  code: text(),
  path: z.string(),
  message: z.string(),
  value: z.string().optional(),
  hint: z.string().optional(),
  records: z.looseObject({}).optional(),
})

export const issueListSchema = () => list(IssueShape)

export const sortIssues = (issues: readonly ConfigIssue[]): ConfigIssue[] =>
  issues.toSorted((a, b) => compare(a.path, b.path) || compare(a.code, b.code) || compare(a.message, b.message))

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Whether the issue prevents publishing. */
export const isPublishBlockingIssue = ({ level }: ConfigIssue) => level !== 'warning'

export const countIssues = (issues: readonly ConfigIssue[]) =>
  Object.fromEntries(ISSUE_LEVELS.map((level) => [level, issues.filter((issue) => issue.level === level).length])) as Record<
    IssueLevel,
    number
  >
