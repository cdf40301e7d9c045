import { PDFDocument } from 'pdf-lib'
import type { Translator } from '../../kernel/language/translator.ts'
import { formatInstantWithTimeZone } from '../../kernel/language/format.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { createPdfSheet, LEFT_EDGE_PT, RIGHT_EDGE_PT, type PdfSheet } from '../orders/pdf/sheet.ts'
import type { SealKey } from './seal/keys.ts'
import type { EnvelopeRow, SignerRow, SigningStepRow } from './tables.ts'

/** The data that the signature pages of a contract show. */
export interface SignaturePagesData {
  envelope: EnvelopeRow
  signers: readonly SignerRow[]
  steps: readonly SigningStepRow[]
  number: string
  client: string
  supplier: string
  event: string
  timezone: string
  baseUrl: string
  words: Translator
}

/** Formats a hash in groups of four digits, so that people can compare it. */
export const formatHashInGroups = (hash: string): string => hash.match(/.{1,4}/g)!.join(' ')

const momentOf = ({ words, timezone }: SignaturePagesData, at: Date) =>
  `${formatInstantWithTimeZone(words.locale, at, timezone)} (${timezone})`

const sideOf = ({ client, supplier }: SignaturePagesData, { side }: SignerRow) => (side === 'client' ? client : supplier)

type Page = Pick<PdfSheet, 'text' | 'row' | 'table' | 'space' | 'rule' | 'picture'>

/**
 * Writes pages twice: the first time only collects the texts, to choose fonts that contain their characters; the second creates the PDF.
 */
async function writePages(signed: SignaturePagesData, title: string, write: (page: Page) => void): Promise<Buffer> {
  const { say, locale } = signed.words
  const foot = (page: number, pages: number) => `${title} · ${say('sign.page', { page, pages })}`
  const texts = [foot(1234567890, 1234567890)]
  write({
    text: (text) => void texts.push(text),
    row: (cells) => void texts.push(...cells.map(({ text }) => text)),
    table: (rows) => rows(),
    space: () => {},
    rule: () => {},
    picture: () => {},
  })
  const sheet = await createPdfSheet({
    title,
    author: signed.client,
    language: locale,
    createdAt: signed.envelope.completed_at!,
    fonts: await loadFontsForText(texts.join('\n')),
    foot,
  })
  write(sheet)
  return sheet.end()
}

const SIGNATURE = { width: 260, height: 70 }

/** Renders the contract as it was sent, followed by pages with the signatures. */
export async function renderSignedContract(
  document: Buffer,
  signed: SignaturePagesData,
): Promise<{ document: PDFDocument; pages: number }> {
  const { say } = signed.words
  const title = say('sign.pages.title', { number: signed.number })
  const written = await writePages(signed, title, (page) => {
    page.text(title, { as: 'H1', size: 18, bold: true })
    page.space(6)
    page.text(say('sign.pages.lead', { number: signed.number }))
    page.text(say('sign.fingerprint'), { muted: true, size: 8 })
    page.text(formatHashInGroups(signed.envelope.version_sha256), { size: 8 })
    for (const signer of signed.signers) writeSignature(page, signed, signer)
  })
  const [contract, pages] = [await PDFDocument.load(document), await PDFDocument.load(written)]
  const added = await contract.copyPages(pages, pages.getPageIndices())
  for (const page of added) contract.addPage(page)
  return { document: contract, pages: added.length }
}

function writeSignature(sheet: Page, signed: SignaturePagesData, signer: SignerRow): void {
  const { say } = signed.words
  sheet.space(18)
  sheet.rule()
  const { signature } = signer
  if (signature && 'drawn' in signature) sheet.picture(Buffer.from(signature.drawn, 'base64'), { ...SIGNATURE, alt: signer.name })
  else sheet.text(signature ? signature.typed : signer.name, { size: 22 })
  sheet.text(signer.name, { bold: true })
  sheet.text(`${say('sign.for', { name: sideOf(signed, signer) })} · ${signer.email}`, { muted: true })
  sheet.text(say('sign.signedAt', { day: momentOf(signed, signer.signed_at!) }), { muted: true })
}

/** Renders the certificate: the signers, the signing steps with their hashes, and what the seal proves. */
export async function renderCertificate(signed: SignaturePagesData, signedSha256: string, key: SealKey): Promise<PDFDocument> {
  const { say } = signed.words
  const title = say('cert.title', { number: signed.number })
  const sealed = say(key.isSelfSigned ? 'cert.selfSigned' : 'cert.sealedBy', { name: key.certificate.subject.replaceAll('\n', ', ') })
  const written = await writePages(signed, title, (page) => {
    page.text(title, { as: 'H1', size: 18, bold: true })
    page.space(4)
    page.text(say('cert.lead'))
    page.space(8)
    writeFacts(page, signed, signedSha256)
    writeSigners(page, signed)
    writeSteps(page, signed)
    page.space(12)
    page.text(sealed)
    page.text(say('cert.verify', { address: `${signed.baseUrl}/verify` }))
  })
  return PDFDocument.load(written)
}

function writeFacts(page: Page, signed: SignaturePagesData, signedSha256: string): void {
  const { say } = signed.words
  const { envelope } = signed
  page.table(() => {
    for (const [label, value] of [
      [say('cert.contract'), `${signed.number}, ${signed.client} · ${signed.supplier}`],
      [say('cert.event'), signed.event],
      [say('cert.envelope'), envelope.id],
      [say('cert.document'), formatHashInGroups(envelope.version_sha256)],
      [say('cert.signedFile'), formatHashInGroups(signedSha256)],
      [say('cert.chain'), formatHashInGroups(envelope.steps_sha256!)],
    ] as const)
      page.row([
        { text: label, x: LEFT_EDGE_PT, width: 130, muted: true, size: 9 },
        { text: value, x: LEFT_EDGE_PT + 140, width: RIGHT_EDGE_PT - LEFT_EDGE_PT - 140, size: 9 },
      ])
  })
}

function writeSigners(sheet: Page, signed: SignaturePagesData): void {
  sheet.space(12)
  sheet.text(signed.words.say('cert.signers'), { as: 'H2', size: 12, bold: true })
  sheet.table(() => {
    for (const signer of signed.signers)
      sheet.row([
        { text: `${signer.signing_order}`, x: LEFT_EDGE_PT, width: 20, size: 9 },
        { text: `${signer.name}, ${sideOf(signed, signer)}\n${signer.email}`, x: LEFT_EDGE_PT + 24, width: 250, size: 9 },
        {
          text: signer.signed_at ? momentOf(signed, signer.signed_at) : '',
          x: LEFT_EDGE_PT + 284,
          width: RIGHT_EDGE_PT - LEFT_EDGE_PT - 284,
          size: 9,
        },
      ])
  })
}

function writeSteps(sheet: Page, signed: SignaturePagesData): void {
  const { say } = signed.words
  sheet.space(12)
  sheet.text(say('cert.steps'), { as: 'H2', size: 12, bold: true })
  sheet.table(() => {
    for (const step of signed.steps)
      sheet.row([
        { text: String(step.n), x: LEFT_EDGE_PT, width: 20, size: 8 },
        {
          text: `${say(`cert.step.${step.step}` as 'cert.step.signed')}\n${step.at.toISOString()}`,
          x: LEFT_EDGE_PT + 24,
          width: 120,
          size: 8,
        },
        {
          text: [step.actor, [step.ip, step.user_agent].filter(Boolean).join(' · ')].filter(Boolean).join('\n'),
          x: LEFT_EDGE_PT + 150,
          width: 150,
          size: 8,
        },
        { text: formatHashInGroups(step.sha256), x: LEFT_EDGE_PT + 308, width: RIGHT_EDGE_PT - LEFT_EDGE_PT - 308, size: 7, muted: true },
      ])
  })
}
