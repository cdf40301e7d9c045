import { issueSignerCode, verifySignerCode } from '../../../domains/signing/codes.ts'
import { createSignerSession, SIGNER_SESSION_SECONDS } from '../../../domains/signing/session.ts'
import { declineDocument, recordDocumentDownload, signDocument } from '../../../domains/signing/sign.ts'
import { parseSignatureForm } from '../../../domains/signing/signature-field.ts'
import { openFile } from '../../../domains/files/files.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatDay, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { Readable } from 'node:stream'
import { OneTimeCodeForms } from '../components/code-forms.tsx'
import { Checkbox, ErrorSummary, ErrorText, Form, Input, TextArea } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { writeCookie } from '../cookies.ts'
import { getCsrfToken, type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { ContractText } from './contract-text.tsx'
import { SigningIcon, SigningResultHeader, SignerList, SigningSteps } from './parts.tsx'
import {
  withSignerAccess,
  runSignerChange,
  maskEmailAddress,
  readSignerDevice,
  showSigningPage,
  SIGN_PATH,
  type SigningPageContext,
} from './signing-site.tsx'

interface Shown {
  message?: string
  errors?: readonly FieldError[]
  status?: 200 | 400 | 429
  isCodeSent?: boolean
  /** The values of the form that was refused. */
  sent?: FormValues
}

/** Shows the page for the current step of signing: the form for the emailed code, the document, or the result. */
function showCurrent(web: WebServices, c: WebContext, at: SigningPageContext, shown: Shown = {}) {
  if (at.view.state === 'code') return showCodePage(web, c, at, shown)
  return at.view.state === 'read' ? showDocument(web, c, at, shown) : showResult(web, c, at)
}

function showCodePage(web: WebServices, c: WebContext, at: SigningPageContext, { message, status = 200, isCodeSent }: Shown) {
  const { say } = at.site.words
  const { number } = at.view.contract
  const email = maskEmailAddress(at.link.email)
  const sent = isCodeSent ?? c.req.query('sent') !== undefined
  return showSigningPage(
    web,
    c,
    at,
    { title: say('sign.title', { number }), status },
    <div class="checkout narrow">
      <div class="head">
        <SigningSteps at={at} step="code" />
        <h1>{say('sign.heading', { number })}</h1>
        <p class="lead">
          {say('sign.asks', { client: at.site.client.name })} {say(sent ? 'sign.codeSent' : 'sign.codeWhy', { email })}
        </p>
      </div>
      <div class="checkout-main">
        <ErrorSummary message={message} />
        <OneTimeCodeForms words={at.site.words} home={at.home} csrf={getCsrfToken(web, c)} isSent={sent} />
      </div>
    </div>,
  )
}

/** The fields of the signature. A refused form keeps the name and the way of signing, but a drawing has to be drawn again. */
const SignatureFields = ({ at, errors, sent }: { at: SigningPageContext; errors: readonly FieldError[]; sent: FormValues }) => {
  const { say } = at.site.words
  const { signer, supplier } = at.view
  const errorOf = (name: string) => errors.find(({ path }) => path === name)?.message
  const nameError = errorOf('name')
  const drawError = errorOf('draw')
  return (
    <Card title={say('sign.yours')}>
      <div class="stack">
        <fieldset class="segments needs-script">
          <legend class="hidden">{say('sign.how')}</legend>
          <label>
            <input type="radio" name="how" value="type" checked={sent['how'] !== 'draw'} />
            <span>{say('sign.type')}</span>
          </label>
          <label>
            <input
              id="draw"
              type="radio"
              name="how"
              value="draw"
              aria-describedby={drawError && 'draw-error'}
              checked={sent['how'] === 'draw'}
            />
            <span>{say('sign.draw')}</span>
          </label>
        </fieldset>
        <Input
          name="name"
          label={say('sign.name')}
          autocomplete="name"
          value={sent['name'] ?? signer.name}
          maxlength={120}
          {...(nameError ? { error: nameError } : {})}
        />
        <div class="signature-box needs-script" data-signature>
          <canvas width="520" height="140" role="img" aria-label={say('sign.drawing')} />
          <input type="hidden" name="drawn" />
          <ErrorText name="draw" error={drawError} />
          <button type="button" class="button quiet small">
            {say('sign.clear')}
          </button>
        </div>
        <Checkbox
          name="consent"
          label={say('sign.consent', { name: signer.side === 'client' ? at.site.client.name : supplier })}
          help={say('sign.consentHelp')}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            {say('sign.button', { number: at.view.contract.number })}
          </button>
        </div>
      </div>
    </Card>
  )
}

function showDocument(web: WebServices, c: WebContext, at: SigningPageContext, { errors = [], status = 200, sent = {} }: Shown) {
  const { say, locale } = at.site.words
  const { contract, supplier, envelope } = at.view
  const csrf = getCsrfToken(web, c)
  const client = at.site.client.name
  const reasonError = errors.find(({ path }) => path === 'reason')?.message
  return showSigningPage(
    web,
    c,
    at,
    { title: say('sign.title', { number: contract.number }), status },
    <div class="checkout two">
      <div class="head">
        <SigningSteps at={at} step="read" />
        <h1>{say('sign.step.read')}</h1>
        <p class="lead">{say('sign.between', { number: contract.number, client, supplier })}</p>
      </div>
      <div class="checkout-main">
        <ErrorSummary {...toFormErrors(at.site, errors)} />
        <ContractText at={at} />
        <Form action={`${at.home}/sign`} csrf={csrf}>
          <SignatureFields at={at} errors={errors} sent={sent} />
        </Form>
        <Card>
          <details open={reasonError !== undefined}>
            <summary>{say('sign.decline')}</summary>
            <Form action={`${at.home}/decline`} csrf={csrf} class="stack">
              <TextArea name="reason" label={say('sign.reason', { client })} rows={2} {...(reasonError ? { error: reasonError } : {})} />
              <div class="actions">
                <button type="submit" class="button danger">
                  {say('sign.declineButton', { number: contract.number })}
                </button>
              </div>
            </Form>
          </details>
        </Card>
      </div>
      <aside class="order" aria-label={say('sign.who')}>
        <Card title={say('sign.who')}>
          <div class="stack">
            <SignerList at={at} />
            <p class="small muted">
              {say('sign.until', { day: formatDay(locale, toDayInZone(at.site.facts.timezone, envelope.expires_at)) })}
            </p>
          </div>
        </Card>
      </aside>
    </div>,
  )
}

const Documents = ({ at }: { at: SigningPageContext }) => {
  const { say } = at.site.words
  if (at.view.envelope.signed_file_id === null) return <Notice>{say('sign.doneSoon')}</Notice>
  const files = [
    ['signed', say('sign.file'), say('sign.fileText')],
    ['certificate', say('sign.certificate'), say('sign.certificateText')],
  ] as const
  return (
    <Card title={say('sign.documents')}>
      <ul class="files">
        {files.map(([name, title, text]) => (
          <li>
            <SigningIcon name="file" />
            <span>
              {title}
              <small>{text}</small>
            </span>
            <a href={`${at.home}/${name}.pdf`}>
              {say('sign.download')}
              <span class="hidden"> {title}</span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Returns title and text of the page for an envelope that the visitor cannot sign now, such as a completed or voided one. */
function describeResult({ site, view }: SigningPageContext): { title: string; text: string } {
  const { say, locale } = site.words
  const client = site.client.name
  const { number } = view.contract
  switch (view.state) {
    case 'done': {
      const day = view.envelope.completed_at ? formatInstantWithTimeZone(locale, view.envelope.completed_at, site.facts.timezone) : ''
      const mailed = view.envelope.signed_file_id === null ? '' : ` ${say('sign.doneMail')}`
      return { title: say('sign.done', { number }), text: `${say('sign.doneText', { day })}${mailed}` }
    }
    case 'saved':
      return { title: say('sign.saved'), text: say('sign.savedText') }
    case 'notYet':
      return { title: say('sign.notYet'), text: say('sign.notYetText') }
    case 'declined': {
      const name = view.signers.find(({ status }) => status === 'declined')?.name ?? ''
      return { title: say('sign.declined'), text: say('sign.declinedText', { name }) }
    }
    case 'voided':
      return { title: say('sign.voided'), text: say('sign.voidedText', { client }) }
    default:
      return { title: say('sign.expired'), text: say('sign.expiredText', { client }) }
  }
}

function showResult(web: WebServices, c: WebContext, at: SigningPageContext) {
  const { say } = at.site.words
  const { title, text } = describeResult(at)
  const isDone = at.view.state === 'done'
  const isEnded = ['voided', 'expired', 'declined'].includes(at.view.state)
  return showSigningPage(
    web,
    c,
    at,
    { title, status: isEnded ? 410 : 200 },
    <div class="checkout narrow">
      <SigningResultHeader at={at} title={title}>
        {text}
      </SigningResultHeader>
      <div class="checkout-main">
        {isDone ? <Documents at={at} /> : null}
        {isEnded ? null : (
          <Card title={say('sign.signatures')}>
            <SignerList at={at} />
          </Card>
        )}
        {isDone ? (
          <Notice>
            <div class="stack">
              <p>{say('sign.check')}</p>
              <p>
                <a class="tap" href="/verify">
                  {say('sign.checkLink')}
                </a>
              </p>
            </div>
          </Notice>
        ) : null}
      </div>
    </div>,
  )
}

/** Runs a step of signing. A refusal, such as a voided envelope, redirects to the page that shows the state. */
async function step(at: SigningPageContext, c: WebContext, run: () => Promise<Response>): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AppError && (error.code === 'conflict' || error.code === 'precondition_failed')) return c.redirect(at.home, 303)
    throw error
  }
}

async function postSendCode(web: WebServices, c: WebContext, at: SigningPageContext) {
  if (!(await readSameOriginForm(web, c))) return c.redirect(at.home, 303)
  return step(at, c, async () => {
    const isSent = await runSignerChange(web, at, 'send_signing_code', (ctx) => issueSignerCode(ctx, at.link, readSignerDevice(web, c)))
    if (isSent) return c.redirect(`${at.home}?sent`, 303)
    return showCodePage(web, c, at, { message: at.site.words.say('sign.tooMany'), status: 429, isCodeSent: true })
  })
}

async function postCode(web: WebServices, c: WebContext, at: SigningPageContext) {
  const form = await readSameOriginForm(web, c)
  if (!form) return c.redirect(at.home, 303)
  const { say } = at.site.words
  return step(at, c, async () => {
    const code = (form['code'] ?? '').replaceAll(/\D/g, '')
    const result = await runSignerChange(web, at, 'verify_signing_code', (ctx) =>
      verifySignerCode(ctx, at.link, code, readSignerDevice(web, c)),
    )
    if (result.kind === 'right') {
      const now = await getDatabaseTime({ db: web.services.database.read })
      writeCookie(web, c, 'signer', createSignerSession(web.services.keys, at.link, now), { maxAge: SIGNER_SESSION_SECONDS })
      return c.redirect(at.home, 303)
    }
    const isOut = result.kind === 'none' || result.left === 0
    const message = isOut ? say('sign.noCode') : say('signIn.wrongCode', { count: result.left })
    return showCodePage(web, c, at, { message, status: 400, isCodeSent: true })
  })
}

async function postSign(web: WebServices, c: WebContext, at: SigningPageContext) {
  const form = await readSameOriginForm(web, c)
  if (!form || at.view.state !== 'read') return c.redirect(at.home, 303)
  const { say } = at.site.words
  const signature = parseSignatureForm(form)
  const missing =
    form['how'] === 'draw' ? { path: 'draw', message: say('sign.needDrawing') } : { path: 'name', message: say('sign.needName') }
  const errors = [
    ...(signature ? [] : [missing]),
    ...(form['consent'] === 'on' ? [] : [{ path: 'consent', message: say('sign.needConsent') }]),
  ]
  if (!signature || errors.length > 0) return showDocument(web, c, at, { errors, status: 400, sent: form })
  return step(at, c, async () => {
    await runSignerChange(web, at, 'sign_contract', (ctx) => signDocument(ctx, at.link, signature, readSignerDevice(web, c)))
    return c.redirect(at.home, 303)
  })
}

async function postDecline(web: WebServices, c: WebContext, at: SigningPageContext) {
  const form = await readSameOriginForm(web, c)
  if (!form || at.view.state !== 'read') return c.redirect(at.home, 303)
  const reason = (form['reason'] ?? '').trim().slice(0, 1000)
  if (reason === '')
    return showDocument(web, c, at, { errors: [{ path: 'reason', message: at.site.words.say('sign.needReason') }], status: 400 })
  return step(at, c, async () => {
    await runSignerChange(web, at, 'decline_contract', (ctx) => declineDocument(ctx, at.link, reason, readSignerDevice(web, c)))
    return c.redirect(at.home, 303)
  })
}

async function sendFile(web: WebServices, c: WebContext, at: SigningPageContext, { fileId, name }: { fileId: string; name: string }) {
  const content = await openFile(web.services.files, { tenantId: at.link.tenantId, id: fileId })
  return c.body(Readable.toWeb(content) as ReadableStream, 200, {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })
}

/** Sends the contract as PDF to a signer who has entered the emailed code. */
async function downloadContract(web: WebServices, c: WebContext, at: SigningPageContext) {
  if (at.view.state !== 'read') return c.redirect(at.home, 303)
  await runSignerChange(web, at, 'download_contract', (ctx) => recordDocumentDownload(ctx, at.link, readSignerDevice(web, c)))
  return sendFile(web, c, at, { fileId: at.view.envelope.document_file_id, name: `${at.view.contract.number}.pdf` })
}

const downloadSigned =
  (column: 'signed_file_id' | 'certificate_file_id', ending: string) => (web: WebServices, c: WebContext, at: SigningPageContext) => {
    const fileId = at.view.envelope[column]
    if (at.view.state !== 'done' || fileId === null) return Promise.resolve(c.redirect(at.home, 303))
    return sendFile(web, c, at, { fileId, name: `${at.view.contract.number}-${ending}.pdf` })
  }

/** `/sign/<token>`: the pages of a signer. GET signs nothing, because mail scanners open every link. */
export function documentSigningPages(web: WebServices) {
  const on = (handle: (web: WebServices, c: WebContext, at: SigningPageContext) => Promise<Response>) =>
    withSignerAccess(web, (c, at) => handle(web, c, at))
  return createEventRouter(web)
    .get(
      SIGN_PATH,
      on((services, c, at) => Promise.resolve(showCurrent(services, c, at))),
    )
    .post(`${SIGN_PATH}/send-code`, on(postSendCode))
    .post(`${SIGN_PATH}/code`, on(postCode))
    .post(`${SIGN_PATH}/sign`, on(postSign))
    .post(`${SIGN_PATH}/decline`, on(postDecline))
    .get(`${SIGN_PATH}/contract.pdf`, on(downloadContract))
    .get(`${SIGN_PATH}/signed.pdf`, on(downloadSigned('signed_file_id', 'signed')))
    .get(`${SIGN_PATH}/certificate.pdf`, on(downloadSigned('certificate_file_id', 'certificate')))
}
