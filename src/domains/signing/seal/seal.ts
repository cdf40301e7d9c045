import { pdflibAddPlaceholder } from '@signpdf/placeholder-pdf-lib'
import { Signer, SignPdf } from '@signpdf/signpdf'
import type { PDFDocument } from 'pdf-lib'
import type { X509Certificate } from 'node:crypto'
import { createDetachedSignature, verifyDetachedSignature } from './cms.ts'
import type { SealKey } from './keys.ts'

const SIGNATURE_BYTES = 16_384

/** The envelope that a sealed file belongs to. The seal contains its id, so that a changed copy of the file is recognized. */
export interface SealedEnvelopeIds {
  tenantId: number
  eventId: string
  envelopeId: string
}

const toMark = ({ tenantId, eventId, envelopeId }: SealedEnvelopeIds) => `lanyard:${tenantId}:${eventId}:${envelopeId}`

class SealSigner extends Signer {
  readonly #key: SealKey

  constructor(key: SealKey) {
    super()
    this.#key = key
  }

  override sign(content: Buffer): Promise<Buffer> {
    return createDetachedSignature(content, this.#key)
  }
}

/** Seals a document with a PAdES signature over all of its bytes. */
export async function sealDocument(
  document: PDFDocument,
  key: SealKey,
  of: SealedEnvelopeIds & { reason: string; at: Date },
): Promise<Buffer> {
  pdflibAddPlaceholder({
    pdfDoc: document,
    reason: of.reason,
    contactInfo: toMark(of),
    name: 'Lanyard',
    location: '',
    signingTime: of.at,
    signatureLength: SIGNATURE_BYTES,
    subFilter: 'ETSI.CAdES.detached',
    appName: 'Lanyard',
  })
  const bytes = await document.save({ useObjectStreams: false })
  return new SignPdf().sign(Buffer.from(bytes), new SealSigner(key))
}

const MARK = /lanyard:(\d{1,10}):([0-9a-f]{24}):([0-9a-f]{24})/g

/** Reads from the seal of a file which envelope it belongs to; null if the file was not sealed by a Lanyard server. */
export function readSealedEnvelopeIds(file: Buffer): SealedEnvelopeIds | null {
  const found = [...file.toString('latin1').matchAll(MARK)].at(-1)
  return found ? { tenantId: Number(found[1]), eventId: found[2]!, envelopeId: found[3]! } : null
}

const BYTE_RANGE = /\/ByteRange \[(\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10})\]/g

/** Returns the certificate of an intact seal over the whole file; null if the seal is missing or broken. */
export function verifySeal(file: Buffer): X509Certificate | null {
  const range = [...file.toString('latin1').matchAll(BYTE_RANGE)].at(-1)
  if (!range) return null
  const [start, first, second, rest] = range.slice(1).map(Number) as [number, number, number, number]
  const isWhole = start === 0 && first < second && second + rest === file.length
  if (!isWhole || file[first] !== 0x3c || file[second - 1] !== 0x3e) return null
  const hex = file.toString('latin1', first + 1, second - 1)
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) return null
  const cms = trimPadding(Buffer.from(hex, 'hex'))
  return cms && verifyDetachedSignature(Buffer.concat([file.subarray(0, first), file.subarray(second)]), cms)
}

/**
 * Removes the zeros that pad the signature to the length of its placeholder; null for any other padding, which means that the file was
 * changed.
 */
function trimPadding(padded: Buffer): Buffer | null {
  if (padded[0] !== 0x30 || padded[1] !== 0x82) return null
  const length = 4 + padded.readUInt16BE(2)
  if (length > padded.length || padded.subarray(length).some((byte) => byte !== 0)) return null
  return padded.subarray(0, length)
}
