import { createHash, randomInt } from 'node:crypto'
import forge from 'node-forge'
import { PDFDocument } from 'pdf-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../../../../test/support/world.ts'
import { soakRounds } from '../../../../test/support/soak.ts'
import { getSealKey, readSealKeyFile, type SealKey, computeCertificateFingerprint } from '../seal/keys.ts'
import { verifySeal, readSealedEnvelopeIds, sealDocument } from '../seal/seal.ts'

let world: World
let key: SealKey
let sealed: Buffer

const AT = { tenantId: 7, eventId: 'a'.repeat(24), envelopeId: 'b'.repeat(24) }

const sealContext = () => ({ db: world.database.write, keys: world.services.keys, baseUrl: world.services.baseUrl })

async function sealPage(text: string, withKey = key): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.addPage().drawText(text)
  return sealDocument(document, withKey, { ...AT, reason: 'Signed by all', at: new Date('2027-01-01T10:00:00Z') })
}

beforeAll(async () => {
  world = await newWorld()
  key = await getSealKey(sealContext(), null)
  sealed = await sealPage('Contract')
})
afterAll(() => world.end())

describe('getSealKey', () => {
  it('creates one self-signed seal key and stores it encrypted', async () => {
    const again = await Promise.all([getSealKey(sealContext(), null), getSealKey(sealContext(), null)])
    expect(again.map(({ certificate }) => certificate.fingerprint256)).toEqual(Array(2).fill(key.certificate.fingerprint256))
    const { rows } = await world.database.pool.query<{ sealed_key: string; fingerprint: string }>('select * from seal_certificates')
    expect(rows).toHaveLength(1)
    expect(rows[0]!.fingerprint).toBe(computeCertificateFingerprint(key.certificate))
    expect(rows[0]!.sealed_key).not.toContain('PRIVATE')
    expect(key.isSelfSigned).toBe(true)
  })

  it('reads the seal key of a PKCS #12 file and rejects a wrong password', () => {
    const pem = key.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
    const p12 = forge.pkcs12.toPkcs12Asn1(
      forge.pki.privateKeyFromPem(pem),
      [forge.pki.certificateFromPem(key.certificate.toString())],
      'secret',
      { algorithm: '3des' },
    )
    const content = Buffer.from(forge.asn1.toDer(p12).getBytes(), 'binary')
    expect(readSealKeyFile({ content, password: 'secret' }).certificate.fingerprint256).toBe(key.certificate.fingerprint256)
    expect(() => readSealKeyFile({ content, password: 'wrong' })).toThrow('LANYARD_ESIGN_P12 cannot be opened')
    expect(() => readSealKeyFile({ content: Buffer.from('no file'), password: '' })).toThrow('LANYARD_ESIGN_P12 cannot be opened')
  })
})

describe('verifySeal', () => {
  it('accepts an unchanged sealed file, and returns its envelope', () => {
    expect(verifySeal(sealed)?.fingerprint256).toBe(key.certificate.fingerprint256)
    expect(readSealedEnvelopeIds(sealed)).toEqual(AT)
    expect(sealed.includes('/ETSI.CAdES.detached')).toBe(true)
  })

  it('rejects a file without a seal', async () => {
    const document = await PDFDocument.create()
    document.addPage()
    const plain = Buffer.from(await document.save())
    expect(verifySeal(plain)).toBeNull()
    expect(readSealedEnvelopeIds(plain)).toBeNull()
  })

  it('rejects a sealed file after any one byte was changed', () => {
    const positions = new Set([0, 1, sealed.length - 1, sealed.length - 2])
    for (let at = 0; at < sealed.length; at += 97) positions.add(at)
    for (let n = 0; n < soakRounds(300); n++) positions.add(randomInt(sealed.length))
    const accepted = [...positions].filter((at) => {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1 << randomInt(8)
      return verifySeal(changed) !== null
    })
    expect(accepted).toEqual([])
  })

  it('rejects a sealed file with appended or removed bytes', () => {
    expect(verifySeal(Buffer.concat([sealed, Buffer.from('\n')]))).toBeNull()
    expect(verifySeal(sealed.subarray(0, -1))).toBeNull()
  })

  it('rejects a seal that was moved to another document of the installation', async () => {
    const other = await sealPage('Cantract')
    const seal = (file: Buffer) => [file.lastIndexOf('/Contents <') + 11, file.indexOf('>', file.lastIndexOf('/Contents <') + 11)] as const
    const mixed = Buffer.concat([other.subarray(0, seal(other)[0]), sealed.subarray(...seal(sealed)), other.subarray(seal(other)[1])])
    expect(mixed.length).toBe(other.length)
    expect(verifySeal(other)).not.toBeNull()
    expect(verifySeal(mixed)).toBeNull()
  })

  it('seals a file so that an independent verification of the signed attributes accepts the seal', () => {
    const [, first, second] = /\/ByteRange \[0 (\d+) (\d+) \d+\]/.exec(sealed.toString('latin1'))!
    const content = Buffer.concat([sealed.subarray(0, Number(first)), sealed.subarray(Number(second))])
    const digest = createHash('sha256').update(content).digest('hex')
    const hex = sealed.toString('latin1', Number(first) + 1, Number(second) - 1)
    expect(hex).toContain(digest)
    expect(hex).toContain(createHash('sha256').update(key.certificate.raw).digest('hex'))
  })
})
