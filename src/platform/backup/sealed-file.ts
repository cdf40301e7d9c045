import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AppError } from '../../kernel/errors.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import { createByteReader, type ByteReader } from './bytes.ts'
import { createDamagedBackupError } from './damage.ts'

/**
 * Version of the file format. Increase it with every change of the format. A file with a higher number needs a newer version of Lanyard.
 */
const FORMAT = 1
const MAGIC = 'lanyard backup '
const LABEL = 'backup'

const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const MAX_LINE_BYTES = 4096

/**
 * Encrypts a stream: a first line with the format, a second with the encrypted key of this file, then chunks. Each chunk is bound to its
 * number and to whether it is the last, so that no chunk can be changed, removed, moved or cut off unnoticed.
 */
export async function* sealStream(content: AsyncIterable<Buffer>, keys: DerivedKeys): AsyncGenerator<Buffer> {
  const key = randomBytes(32)
  const head = Buffer.from(`${MAGIC}${FORMAT}\n${keys.seal(LABEL, key, MAGIC)}\n`)
  yield head
  const seal = createChunkSealer(key, head)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    held = Buffer.concat([held, chunk])
    for (; held.length > PIECE_BYTES; held = held.subarray(PIECE_BYTES)) yield seal(held.subarray(0, PIECE_BYTES), false)
  }
  yield seal(held, true)
}

/** Decrypts a file chunk by chunk. Each chunk is authenticated before it is returned. */
export async function* unsealFile(path: string, keys: DerivedKeys): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  try {
    const reader = createByteReader(file)
    const { key, head } = await readHead(reader, keys)
    const open = createChunkOpener(key, head)
    for (let last = false; !last;) {
      const length = (await reader.take(LENGTH_BYTES)).readUInt32BE()
      if (length > PIECE_BYTES) throw createDamagedBackupError()
      const piece = await reader.take(length + TAG_BYTES)
      last = await reader.atEnd()
      yield open(piece, last)
    }
  } finally {
    file.destroy()
  }
}

async function readHead(reader: ByteReader, keys: DerivedKeys): Promise<{ key: Buffer; head: Buffer }> {
  const first = await reader.line(MAGIC.length + 8)
  const format = first?.startsWith(MAGIC) ? Number(first.slice(MAGIC.length)) : Number.NaN
  if (!Number.isInteger(format)) throw new AppError('precondition_failed', 'The file is not a Lanyard backup')
  if (format > FORMAT) {
    const says = `The backup was made by a later version of Lanyard (format ${format}, this one reads ${FORMAT}): restore it with that version`
    throw new AppError('precondition_failed', says)
  }
  const line = await reader.line(MAX_LINE_BYTES)
  if (line === null) throw createDamagedBackupError()
  const key = keys.open(LABEL, line, MAGIC)
  if (!key) {
    const says =
      'The backup does not open with this key. It needs the LANYARD_SECRET_KEY (or the file secret.key of the data folder) of the installation that made it, also as one of LANYARD_SECRET_KEYS_OLD, or the --key-file it was made with'
    throw new AppError('precondition_failed', says)
  }
  return { key, head: Buffer.from(`${first}\n${line}\n`) }
}

/** Returns the nonce of a chunk. Each key encrypts one file, so the chunk number is unique. */
function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number))
  nonce.writeUInt8(Number(last), 8)
  return nonce
}

const fingerprint = (head: Buffer) => createHash('sha256').update(head).digest()

function createChunkSealer(key: Buffer, head: Buffer) {
  const aad = fingerprint(head)
  let number = 0
  return (piece: Buffer, last: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, last), { authTagLength: TAG_BYTES }).setAAD(aad)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(piece.length)
    return Buffer.concat([length, cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
}

function createChunkOpener(key: Buffer, head: Buffer) {
  const aad = fingerprint(head)
  let number = 0
  return (piece: Buffer, last: boolean): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number++, last), { authTagLength: TAG_BYTES })
    decipher.setAAD(aad).setAuthTag(piece.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(piece.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      throw createDamagedBackupError()
    }
  }
}
