import { z } from 'zod'
import { toOneLine, count, day, describe, flag, instant, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { CLAUSE_CHANGE_KINDS } from './compare.ts'
import { RISK_LEVELS } from './risk.ts'
import { NEGOTIATION_STANCES } from './stance.ts'
import { CLAUSE_STATES, CONTRACT_STATES, COUNTER_PROPOSAL_STATES } from './states.ts'

const MAX_BODY = 20_000

export const contractStatusSchema = () => oneOf(CONTRACT_STATES.all)
export const expectedVersionArgument = () =>
  describe(count(1, 100_000), 'The `version` you read. The call fails if there is a newer one.').optional()

const variableName = () => text(60).regex(/^[A-Za-z][A-Za-z0-9]*$/, 'a name such as commitPercent')
const clauseKey = () => text(60).regex(/^[A-Za-z][A-Za-z0-9]*$/, 'a key such as attrition')
const VarValue = z.union([z.string().max(2000), z.number(), z.boolean(), z.null()])
export const clauseVariablesArgument = () => z.record(variableName(), VarValue)
export const variablesByClauseArgument = () =>
  toOneLine(z.record(clauseKey(), clauseVariablesArgument()), 'by clause: { attrition: { commitPercent: 80 } }')

export const clauseKeyArgument = clauseKey
export const clauseBodyArgument = () => text(MAX_BODY)

export const clauseEditsArgument = () =>
  list(
    toOneLine(
      object({
        key: clauseKey(),
        title: text(200).optional(),
        body: clauseBodyArgument().optional(),
        vars: clauseVariablesArgument().optional(),
        remove: flag().optional(),
      }),
      'key, title?, body?, vars? { name: value }, remove?',
    ),
    100,
  )

export const counterProposalEditsArgument = () =>
  list(
    toOneLine(
      object({
        key: clauseKey(),
        action: oneOf(['accept', 'reject', 'replace']).optional(),
        body: clauseBodyArgument().optional(),
        vars: clauseVariablesArgument().optional(),
      }),
      'key, action? (accept, reject, replace), body?, vars?',
    ),
    100,
  )

const Vars = z.record(z.string(), VarValue)

const Envelope = object({ id: text(), status: text(), expiresAt: instant() })

const contractFields = {
  id: text(),
  number: text(),
  supplier: object({ id: text(), name: untrustedText() }),
  status: contractStatusSchema(),
  version: count(1),
  openClauses: count(),
  highRisk: count(),
  committed: money(),
  dueOn: day().optional(),
  executedOn: day().optional(),
  envelope: Envelope.optional(),
  revision: count(1),
}

export const ListedContract = object({
  ...contractFields,
  awardId: text().optional(),
  lineIndex: count().optional(),
  shownVersion: count(1).optional(),
  contactName: untrustedText().optional(),
  contactEmail: untrustedText().optional(),
})

/** The summary of a contract after a change. */
export const ChangedContractShape = toOneLine(object(contractFields), 'as in list_contracts')

export const ClauseResult = toOneLine(
  object({
    key: text(),
    title: untrustedText(),
    body: untrustedText(),
    vars: Vars,
    state: oneOf(CLAUSE_STATES.all),
    risk: oneOf(RISK_LEVELS),
    walkAway: flag(),
    note: untrustedText().optional(),
    removed: z.literal(true).optional(),
  }),
  'key, title, body, vars {}, state, risk, walkAway, note, removed',
)

export const ContractVersionShape = toOneLine(
  object({
    n: count(1),
    by: oneOf(['us', 'supplier']),
    note: untrustedText().optional(),
    sha256: text(),
    createdBy: untrustedText(),
    createdAt: instant(),
  }),
  'n, by, note, sha256, createdBy, createdAt',
)

const CounterItem = object({
  key: text(),
  action: oneOf(['accept', 'reject', 'replace']),
  body: untrustedText().optional(),
  vars: Vars.optional(),
  why: untrustedText(),
})

export const CounterProposalResult = toOneLine(
  object({
    id: text(),
    basedOnVersion: count(1),
    stance: oneOf(NEGOTIATION_STANCES),
    method: oneOf(['rules', 'model']),
    status: oneOf(COUNTER_PROPOSAL_STATES.all),
    items: list(CounterItem),
    createdAt: instant(),
  }),
  'id, basedOnVersion, stance, method, status, items[] { key, action, body, vars, why }',
)

const Hunk = object({ op: oneOf(['equal', 'insert', 'delete']), text: untrustedText() })
export const ClauseDifferenceShape = toOneLine(
  object({ key: text(), title: untrustedText(), change: oneOf(CLAUSE_CHANGE_KINDS), hunks: list(Hunk, 100_000) }),
  'key, title, change, hunks[] { op, text }',
)

export const MissingClauseVariable = toOneLine(object({ key: text(), name: text() }), 'key, name')

export const ClauseRisk = toOneLine(
  object({ key: text(), risk: oneOf(RISK_LEVELS), walkAway: flag(), reasons: list(untrustedText()) }),
  'key, risk, walkAway, reasons[]',
)

export const TextOutsideClausesShape = toOneLine(
  object({ change: oneOf(['inserted', 'deleted', 'changed']), text: untrustedText() }),
  'change, text',
)
