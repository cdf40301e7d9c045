import { readPortalContract } from '../../../domains/supplier-contracts/portal.ts'
import type { TextDiffHunk } from '../../../domains/supplier-contracts/words.ts'
import { formatDay } from '../../../kernel/language/format.ts'
import { Checkbox, Form, TextArea } from '../components/forms.tsx'
import { Card, Notice, StatusLabel } from '../components/parts.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import { LinkRecipientCard, SupplierPageLayout } from './frame.tsx'
import { showSupplierPage, type SupplierPageContext } from './site.tsx'

type ContractView = Awaited<ReturnType<typeof readPortalContract>>
export type ContractPageMessage = 'sent' | 'accepted' | 'unchanged' | 'unreadable' | 'moved'

const isDone = (value: string | undefined): value is 'sent' | 'accepted' => value === 'sent' || value === 'accepted'

/** A text with deleted and inserted words. */
export const Redline = ({ hunks }: { hunks: readonly TextDiffHunk[] }) => (
  <p class="redline">
    {hunks.map(({ op, text }) => (op === 'insert' ? <ins>{text}</ins> : op === 'delete' ? <del>{text}</del> : <span>{text}</span>))}
  </p>
)

export async function showContractPage(
  web: WebServices,
  c: WebContext,
  at: SupplierPageContext,
  { failed, typed = {} }: { failed?: ContractPageMessage; typed?: Readonly<Record<string, string>> } = {},
) {
  const view = await readPortalContract(at.reading, at.link.contractId!)
  const { say, locale } = at.site.words
  const { contract, version } = view
  const done = c.req.query('done')
  const title = say('contract.title', { number: contract.number })
  const message = failed ?? (isDone(done) ? done : null)
  return showSupplierPage(
    web,
    c,
    at,
    { title, status: failed ? 400 : 200 },
    <SupplierPageLayout
      at={at}
      badges={
        <>
          <StatusLabel tone="accent">{say('contract.version', { version })}</StatusLabel>
          <StatusLabel tone={view.isOpen && !view.isAgreed ? 'warning' : undefined}>{describeState(at, view)}</StatusLabel>
        </>
      }
      title={title}
      narrow
      lead={say('contract.lead', { client: at.site.client.name, event: at.site.event.name })}
      notice={message ? <Notice tone={failed ? 'danger' : 'success'}>{say(`contract.${message}`)}</Notice> : null}
    >
      <div class="stack-5">
        {contract.due_on !== null && view.isOpen ? <p>{say('contract.dueOn', { day: formatDay(locale, contract.due_on) })}</p> : null}
        <p class="row">
          <a class="button" href={`${at.home}/contract.docx`}>
            {say('contract.word')}
          </a>
          <a class="button" href={`${at.home}/contract.pdf`}>
            {say('contract.pdf')}
          </a>
        </p>
        {view.isOpen ? <AnswerForms web={web} c={c} at={at} view={view} typed={typed} /> : <ReadOnly at={at} view={view} />}
      </div>
      <LinkRecipientCard at={at} />
    </SupplierPageLayout>,
  )
}

function describeState({ site: { words } }: SupplierPageContext, { contract, isOpen, isAgreed }: ContractView): string {
  if (contract.status === 'executed') return words.say('contract.state.signed')
  if (contract.status === 'readyForSignature' || contract.status === 'outForSignature') return words.say('contract.state.signing')
  if (isAgreed) return words.say('contract.state.agreed')
  return words.say(isOpen ? 'contract.state.answer' : 'contract.state.waiting')
}

interface AnswerProps {
  web: WebServices
  c: WebContext
  at: SupplierPageContext
  view: ContractView
  typed: Readonly<Record<string, string>>
}

/** Links to the clauses of a whole contract, which is long on a phone. */
const ClauseLinks = ({ at, clauses }: { at: SupplierPageContext; clauses: ContractView['clauses'] }) => (
  <details>
    <summary>{at.site.words.say('contract.goToClause')}</summary>
    <ul class="section-nav">
      {clauses.map(({ key, title }) => (
        <li>
          <a href={`#clause-${key}`}>{title}</a>
        </li>
      ))}
    </ul>
  </details>
)

/** The forms with which a supplier answers a contract. After a counterproposal only the changed clauses are expanded. */
const AnswerForms = ({ web, c, at, view, typed }: AnswerProps) => {
  const { say } = at.site.words
  const { version, changed, clauses } = view
  const isCounter = view.contract.status === 'counterSent'
  const changedKeys = new Set(changed.map(({ key }) => key))
  const shown = isCounter ? clauses.filter(({ key }) => changedKeys.has(key)) : clauses
  const csrf = getCsrfToken(web, c)
  return (
    <>
      <p>{isCounter ? say('contract.counterIntro') : say('contract.intro', { change: say('contract.change') })}</p>
      <p class="row apart">
        <a class="tap" href="#accept">
          {say('contract.accept')}
        </a>
        <a class="tap" href="#file">
          {say('contract.uploadTitle')}
        </a>
      </p>
      {isCounter ? null : <ClauseLinks at={at} clauses={shown} />}
      <Form action={`${at.home}/redlines`} csrf={csrf} class="stack-5">
        <input type="hidden" name="version" value={String(version)} />
        <Card title={say(isCounter ? 'contract.changedClauses' : 'contract.clauses')}>
          {shown.map(({ key, title, text }) => {
            const difference = isCounter ? changed.find((one) => one.key === key) : undefined
            return (
              <section class="clause" id={`clause-${key}`}>
                <h3>{title}</h3>
                {difference ? <Redline hunks={difference.hunks} /> : <p class="redline">{text}</p>}
                <details open={typed[`text-${key}`] !== undefined && typed[`text-${key}`] !== text}>
                  <summary>{say('contract.change')}</summary>
                  <div class="stack">
                    <TextArea
                      name={`text-${key}`}
                      label={say('contract.yourText', { title })}
                      rows={6}
                      maxlength={20_000}
                      value={typed[`text-${key}`] ?? text}
                    />
                    <Checkbox name={`remove-${key}`} label={say('contract.remove', { title })} checked={typed[`remove-${key}`] === 'on'} />
                  </div>
                </details>
              </section>
            )
          })}
        </Card>
        <Card title={say('contract.send')}>
          <div class="stack">
            <TextArea name="note" label={say('contract.note')} rows={3} maxlength={2000} value={typed['note'] ?? ''} />
            <div class="actions">
              <button type="submit" class="button">
                {say('contract.send')}
              </button>
            </div>
          </div>
        </Card>
      </Form>
      <Form action={`${at.home}/accept`} csrf={csrf}>
        <input type="hidden" name="version" value={String(version)} />
        <Card id="accept" title={say('contract.accept')}>
          <div class="stack">
            <p>{say('contract.acceptHelp', { version })}</p>
            <div class="actions">
              <button type="submit" class="button">
                {say('contract.accept')}
              </button>
            </div>
          </div>
        </Card>
      </Form>
      <Form action={`${at.home}/redlines-file`} csrf={csrf} files>
        <input type="hidden" name="version" value={String(version)} />
        <Card id="file" title={say('contract.uploadTitle')}>
          <div class="stack">
            <div class="upload">
              <label for="document">{say('contract.upload')}</label>
              <input type="file" id="document" name="document" accept=".docx" aria-describedby="document-help" />
              <p class="small muted" id="document-help">
                {say('contract.uploadHelp')}
              </p>
            </div>
            <div class="actions">
              <button type="submit" class="button">
                {say('contract.uploadSend')}
              </button>
            </div>
          </div>
        </Card>
      </Form>
    </>
  )
}

const ReadOnly = ({ at, view: { clauses } }: { at: SupplierPageContext; view: ContractView }) => {
  const { say } = at.site.words
  return (
    <>
      <p>{say('contract.readOnly')}</p>
      <ClauseLinks at={at} clauses={clauses} />
      <Card title={say('contract.clauses')}>
        {clauses.map(({ key, title, text }) => (
          <section class="clause" id={`clause-${key}`}>
            <h3>{title}</h3>
            <p class="redline">{text}</p>
          </section>
        ))}
      </Card>
    </>
  )
}
