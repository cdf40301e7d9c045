import { reviewFlowsSynchronously } from '../../../../../test/support/synchronous-configuration.ts'
import type { FlowFinding, ReviewContext } from '../context.ts'
import { applyEdits, cleanDocument, pageIn, buildReviewContext } from './contexts.ts'

type Document = any

const findingsIn = (context: ReviewContext): FlowFinding[] => reviewFlowsSynchronously(context).flatMap(({ findings }) => findings)

/** Reviews a valid flow after an edit and returns the findings. */
export function reviewEditedFlow(edit: (document: Document) => void, more: Parameters<typeof buildReviewContext>[1] = {}) {
  const document = cleanDocument()
  edit(document)
  const context = buildReviewContext(document, more)
  const findings = findingsIn(context)
  const operations = findings.flatMap(({ suggestion }) => suggestion?.operations ?? [])
  return {
    findings,
    codes: findings.map(({ code }) => code),
    messages: findings.map(({ message }) => message).join('\n'),
    operations,
    left: () => findingsIn(applyEdits(context, operations)).map(({ code }) => code),
  }
}

export const leaf = (binding: string, op: string, value?: unknown) => ({ binding, op, ...(value === undefined ? {} : { value }) })
export const field = (id: string, binding: string, more: object = {}) => ({ id, type: 'field', binding, ...more })
export const addTo = (document: Document, page: string, ...widgets: Document[]) => void pageIn(document, page).widgets.push(...widgets)
