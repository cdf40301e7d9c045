import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AppError } from '../../kernel/errors.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { byteReader, type ByteReader } from './bytes.ts'
import { damaged } from './damage.ts'

/** Another number for every other form. One that is higher than ours was made by a later version, which alone knows how to read it. */
const FORMAT = 1
const MAGIC = 'lanyard backup '
const LABEL = 'backup'

const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const MOST_OF_A_LINE = 4096

/**
 * Seals a stream: two lines that say what it is, the second with the key of this one file, sealed; then pieces, each sealed under its
 * number and whether it is the last. So none can be changed, left out, put elsewhere or cut off without being noticed.
 */
export async function* sealed(content: AsyncIterable<Buffer>, keys: Keys): AsyncGenerator<Buffer> {
  const key = randomBytes(32)
  const head = Buffer.from(`${MAGIC}${FORMAT}\n${keys.seal(LABEL, key, MAGIC)}\n`)
  yield head
  const seal = pieceSealer(key, head)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    held = Buffer.concat([held, chunk])
    for (; held.length > PIECE_BYTES; held = held.subarray(PIECE_BYTES)) yield seal(held.subarray(0, PIECE_BYTES), false)
  }
  yield seal(held, true)
}

/** What was sealed, piece by piece, each only when it is known to be as it was. */
export async function* unsealed(path: string, keys: Keys): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  try {
    const reader = byteReader(file)
    const { key, head } = await readHead(reader, keys)
    const open = pieceOpener(key, head)
    for (let last = false; !last;) {
      const length = (await reader.take(LENGTH_BYTES)).readUInt32BE()
      if (length > PIECE_BYTES) throw damaged()
      const piece = await reader.take(length + TAG_BYTES)
      last = await reader.atEnd()
      yield open(piece, last)
    }
  } finally {
    file.destroy()
  }
}

async function readHead(reader: ByteReader, keys: Keys): Promise<{ key: Buffer; head: Buffer }> {
  const first = await reader.line(MAGIC.length + 8)
  const format = first?.startsWith(MAGIC) ? Number(first.slice(MAGIC.length)) : Number.NaN
  if (!Number.isInteger(format)) throw new AppError('precondition_failed', 'The file is no backup that Lanyard made')
  if (format > FORMAT) {
    const says = `The backup was made by a later version of Lanyard (format ${format}, this one reads ${FORMAT}): restore it with that version`
    throw new AppError('precondition_failed', says)
  }
  const line = await reader.line(MOST_OF_A_LINE)
  if (line === null) throw damaged()
  const key = keys.open(LABEL, line, MAGIC)
  if (!key) {
    const says =
      'The backup does not open with this key. It needs the LANYARD_SECRET_KEY (or the file secret.key of the data folder) of the installation that made it, also as one of LANYARD_SECRET_KEYS_OLD, or the --key-file it was made with'
    throw new AppError('precondition_failed', says)
  }
  return { key, head: Buffer.from(`${first}\n${line}\n`) }
}

/** Each key seals one file, so the number of a piece is a nonce that never comes again. */
function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number))
  nonce.writeUInt8(Number(last), 8)
  return nonce
}

const fingerprint = (head: Buffer) => createHash('sha256').update(head).digest()

function pieceSealer(key: Buffer, head: Buffer) {
  const aad = fingerprint(head)
  let number = 0
  return (piece: Buffer, last: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, last), { authTagLength: TAG_BYTES }).setAAD(aad)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(piece.length)
    return Buffer.concat([length, cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
}

function pieceOpener(key: Buffer, head: Buffer) {
  const aad = fingerprint(head)
  let number = 0
  return (piece: Buffer, last: boolean): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number++, last), { authTagLength: TAG_BYTES })
    decipher.setAAD(aad).setAuthTag(piece.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(piece.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      throw damaged()
    }
  }
}
