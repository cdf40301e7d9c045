import { buffer } from 'node:stream/consumers'
import type { Child } from 'hono/jsx'
import { formatHashInGroups } from '../../../domains/signing/documents.ts'
import { type FileVerification, verifyFile } from '../../../domains/signing/verify.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import { readFormFields } from '../../http/read-form.ts'
import { ASSET_PATHS } from '../assets.ts'
import { ErrorSummary, Form } from '../components/forms.tsx'
import { renderHtmlDocument, LogoMark } from '../components/layout.tsx'
import { Card, DescriptionList } from '../components/parts.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { toFormValues } from '../form-values.ts'
import { getVisitorTranslator } from '../language/visitor.ts'
import { getCsrfToken, isSameOriginForm, sendPage, type WebContext, type WebServices } from '../web.ts'
import { SigningIcon } from './parts.tsx'

const MAX_BYTES = 20 * 1024 * 1024

const UploadForm = ({ words: { say }, csrf, title }: { words: Translator; csrf: string; title?: string }) => (
  <Card {...(title ? { title } : {})}>
    <Form action="/verify" csrf={csrf} class="stack" files>
      <div class="upload">
        <label for="pdf">{say('verify.file')}</label>
        <input type="file" id="pdf" name="pdf" accept="application/pdf" />
        <p class="small muted">{say('verify.limit')}</p>
      </div>
      <div class="actions">
        <button type="submit" class={title ? 'button' : 'button primary'}>
          {say('verify.button')}
        </button>
      </div>
    </Form>
  </Card>
)

type Known = Exclude<FileVerification, { kind: 'unknown' }>

const Check = ({ words: { say }, ok, title, children }: { words: Translator; ok: boolean; title: string; children: Child }) => (
  <li>
    <SigningIcon name={ok ? 'tick' : 'cross'} class={ok ? 'pass-i' : 'fail-i'} />
    <span>
      <span class="hidden">{say(ok ? 'verify.passed' : 'verify.failed')}</span>
      {title}
      <small>{children}</small>
    </span>
  </li>
)

const Checks = ({ words, verdict }: { words: Translator; verdict: Known }) => {
  const { say } = words
  const { isUnchanged, isSealIntact, isChainComplete, isSelfSigned, envelope } = verdict
  return (
    <ul class="checks">
      <Check words={words} ok={isUnchanged} title={say(isUnchanged ? 'verify.same' : 'verify.differs')}>
        {say(isUnchanged ? 'verify.sameText' : 'verify.differsText')}
      </Check>
      {isSealIntact === null ? null : (
        <Check words={words} ok={isSealIntact} title={say(isSealIntact ? 'verify.sealed' : 'verify.unsealed')}>
          {isSealIntact
            ? say(isSelfSigned ? 'verify.sealedSelf' : 'verify.sealedOther', { client: envelope.client })
            : say('verify.unsealedText')}
        </Check>
      )}
      <Check words={words} ok={isChainComplete} title={say(isChainComplete ? 'verify.chain' : 'verify.unsure')}>
        {isChainComplete ? say('verify.chainText', { steps: envelope.steps }) : say('verify.chainBroken')}
      </Check>
    </ul>
  )
}

/** Lists the facts about a verified file. A changed file shows no signers, because its holder may not be a party to the contract. */
function factsOf({ say, locale }: Translator, { isUnchanged, sha256, envelope }: Known): [string, Child][] {
  if (!isUnchanged)
    return [
      [say('verify.thisFile'), <span class="hash">{formatHashInGroups(sha256)}</span>],
      [say('verify.signedFile'), <span class="hash">{formatHashInGroups(envelope.signedSha256!)}</span>],
    ]
  const signed = envelope.signers.map(({ name, signedAt }) => (
    <p>
      {name}, {formatInstantWithTimeZone(locale, new Date(signedAt), envelope.timezone)} ({envelope.timezone})
    </p>
  ))
  return [
    [say('verify.contract'), `${envelope.number}, ${envelope.client} · ${envelope.supplier}`],
    [say('verify.signedBy'), <>{signed}</>],
    ['SHA-256', <span class="hash">{formatHashInGroups(sha256)}</span>],
  ]
}

/** Returns the title, text and style of a verification result. The text names the file. */
function describeVerdict({ say }: Translator, verdict: FileVerification, file: string) {
  if (verdict.kind === 'unknown')
    return { tone: '', icon: 'info' as const, title: say('verify.unknown'), text: say('verify.unknownText', { file }) }
  if (verdict.kind === 'valid')
    return { tone: 'good', icon: 'tick' as const, title: say('verify.valid'), text: say('verify.validText', { file }) }
  const isOnlyRecordDamaged = verdict.isUnchanged
  return {
    tone: 'bad',
    icon: 'cross' as const,
    title: say(isOnlyRecordDamaged ? 'verify.unsure' : 'verify.changed'),
    text: say(isOnlyRecordDamaged ? 'verify.unsureText' : 'verify.changedText', { file }),
  }
}

const Result = ({ words, verdict, file }: { words: Translator; verdict: FileVerification; file: string }) => {
  const { tone, icon, title, text } = describeVerdict(words, verdict, file)
  return (
    <>
      <div class={`verification ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
        <span class="mark-i" aria-hidden="true">
          <SigningIcon name={icon} />
        </span>
        <div>
          <h2>{title}</h2>
          <p>{text}</p>
        </div>
      </div>
      {verdict.kind === 'unknown' ? null : (
        <Card title={words.say('verify.details')}>
          <div class="stack">
            <Checks words={words} verdict={verdict} />
            <DescriptionList rows={factsOf(words, verdict)} />
            {verdict.isUnchanged ? null : <p>{words.say('verify.ask')}</p>}
          </div>
        </Card>
      )}
    </>
  )
}

interface Shown {
  verdict?: FileVerification
  file?: string
  message?: string
}

function showVerifyPage(web: WebServices, c: WebContext, { verdict, file = '', message }: Shown = {}) {
  const words = getVisitorTranslator(web, c)
  const { say } = words
  const csrf = getCsrfToken(web, c)
  const body = (
    <>
      <header class="event-bar">
        <div>
          <a class="who" href="/">
            <LogoMark />
            <strong>Lanyard</strong>
          </a>
        </div>
      </header>
      <main id="main">
        <div class="checkout narrow">
          <div class="head">
            <h1>{say('verify.title')}</h1>
            <p class="lead">{say('verify.lead')}</p>
          </div>
          <div class="checkout-main">
            <ErrorSummary message={message} />
            {verdict ? <Result words={words} verdict={verdict} file={file} /> : null}
            <UploadForm words={words} csrf={csrf} {...(verdict ? { title: say('verify.another') } : {})} />
          </div>
        </div>
      </main>
      <footer class="site-foot">
        <div>
          <span class="by">
            <a href="/">Lanyard</a>
          </span>
        </div>
      </footer>
    </>
  )
  return sendPage(c, renderHtmlDocument(say('verify.title'), body, { words, styles: ASSET_PATHS.eventStyles }), message ? 400 : 200)
}

/** Reads one file of a form into memory and compares it with the contracts that were signed here. The file is not stored. */
async function checkFile(web: WebServices, c: WebContext) {
  const sent: { name: string; content: Buffer }[] = []
  const fields = await readFormFields(c.env.incoming, {
    maxBytes: MAX_BYTES + 64 * 1024,
    maxFiles: 1,
    isOwn: (read) => isSameOriginForm(web, c, toFormValues(read)),
    take: async ({ name, content }) => void sent.push({ name, content: await buffer(content) }),
  })
  const file = sent[0]
  if (!fields || !isSameOriginForm(web, c, toFormValues(fields))) return c.redirect('/verify', 303)
  if (!file || file.content.length === 0 || file.content.length > MAX_BYTES)
    return showVerifyPage(web, c, { message: getVisitorTranslator(web, c).say('verify.choose') })
  const verdict = await verifyFile(web.services.database.read, file.content)
  return showVerifyPage(web, c, { verdict, file: cleanText(file.name, 120) || 'PDF' })
}

/** `/verify`: checks whether a PDF was signed here and is unchanged. */
export const signatureVerificationPages = (web: WebServices) =>
  createEventRouter(web)
    .get('/verify', (c) => showVerifyPage(web, c))
    .post('/verify', (c) => checkFile(web, c))
