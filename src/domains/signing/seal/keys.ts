import { createPrivateKey, generateKeyPair, hash, type KeyObject, randomBytes, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'
import type { Db } from '../../../kernel/columns.ts'
import type { SealingKeyFile } from '../../../kernel/esign.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { DerivedKeys } from '../../../kernel/secrets.ts'

const LABEL = 'seal key'
const KEY_BITS = 2048
const VALID_YEARS = 20

/** The private key and certificates with which this installation electronically seals signed contracts. */
export interface SealKey {
  privateKey: KeyObject
  certificate: X509Certificate
  /** The intermediate certificates that lead to a known certificate authority. */
  chain: readonly X509Certificate[]
  /** Whether this installation created the key and its certificate, so that no certificate authority confirms its name. */
  isSelfSigned: boolean
}

export const computeCertificateFingerprint = ({ raw }: Pick<X509Certificate, 'raw'>): string => hash('sha256', raw, 'hex')

interface SealContext {
  db: Db
  keys: DerivedKeys
  baseUrl: string
}

/** Returns the operator's seal key if it is configured, otherwise this installation's own key, which is created on first use. */
export async function getSealKey(ctx: SealContext, file: SealingKeyFile | null): Promise<SealKey> {
  const key = file ? readSealKeyFile(file) : ((await findOwnKey(ctx)) ?? (await createOwnKey(ctx)))
  if (file)
    await ctx.db
      .insertInto('seal_certificates')
      .values({
        fingerprint: computeCertificateFingerprint(key.certificate),
        certificate: key.certificate.toString(),
        sealed_key: null,
        is_own: false,
      })
      .onConflict((clash) => clash.doNothing())
      .execute()
  return key
}

async function findOwnKey({ db, keys }: SealContext): Promise<SealKey | null> {
  const row = await db.selectFrom('seal_certificates').select(['certificate', 'sealed_key']).where('is_own', '=', true).executeTakeFirst()
  const pem = row && keys.open(LABEL, row.sealed_key!, row.certificate)
  if (!row) return null
  if (!pem)
    throw new AppError('unavailable', 'The key for seals cannot be opened with LANYARD_SECRET_KEY. Restore the key it was made with')
  return { privateKey: createPrivateKey(pem), certificate: new X509Certificate(row.certificate), chain: [], isSelfSigned: true }
}

const generate = promisify(generateKeyPair)

/** Creates the key of this installation. If two processes create a key concurrently, both use the one that was stored first. */
async function createOwnKey(ctx: SealContext): Promise<SealKey> {
  const { privateKey } = await generate('rsa', { modulusLength: KEY_BITS })
  const certificate = selfSign(privateKey, new URL(ctx.baseUrl).host)
  const text = certificate.toString()
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  await ctx.db
    .insertInto('seal_certificates')
    .values({
      fingerprint: computeCertificateFingerprint(certificate),
      certificate: text,
      sealed_key: ctx.keys.seal(LABEL, pem, text),
      is_own: true,
    })
    .onConflict((clash) => clash.doNothing())
    .execute()
  return (await findOwnKey(ctx))!
}

function selfSign(key: KeyObject, host: string): X509Certificate {
  const privateKey = forge.pki.privateKeyFromPem(key.export({ type: 'pkcs1', format: 'pem' }) as string)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e)
  // A leading zero byte keeps the serial number of the certificate positive.
  certificate.serialNumber = `00${randomBytes(16).toString('hex')}`
  const now = new Date()
  certificate.validity.notBefore = new Date(now.getTime() - 86_400_000)
  certificate.validity.notAfter = new Date(Date.UTC(now.getUTCFullYear() + VALID_YEARS, now.getUTCMonth(), now.getUTCDate()))
  const name = [{ name: 'commonName', value: `Lanyard at ${host}`.slice(0, 64) }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, nonRepudiation: true, critical: true },
  ])
  certificate.sign(privateKey, forge.md.sha256.create())
  return new X509Certificate(forge.pki.certificateToPem(certificate))
}

/** Reads a PKCS #12 file with one RSA key. */
export function readSealKeyFile({ content, password }: SealingKeyFile): SealKey {
  const { oids } = forge.pki
  let p12: forge.pkcs12.Pkcs12Pfx
  try {
    p12 = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(content.toString('binary')), false, password)
  } catch {
    throw new AppError('unavailable', 'LANYARD_ESIGN_P12 cannot be opened. Check the file and LANYARD_ESIGN_P12_PASSWORD')
  }
  const bags = (type: string) => p12.getBags({ bagType: type })[type] ?? []
  const key = [...bags(oids['pkcs8ShroudedKeyBag']!), ...bags(oids['keyBag']!)].find((bag) => bag.key)?.key
  const certificates = bags(oids['certBag']!).flatMap(({ cert }) => (cert ? [new X509Certificate(forge.pki.certificateToPem(cert))] : []))
  if (!key) throw new AppError('unavailable', 'LANYARD_ESIGN_P12 contains no RSA key')
  const privateKey = createPrivateKey(forge.pki.privateKeyToPem(key as forge.pki.rsa.PrivateKey))
  const certificate = certificates.find((one) => one.checkPrivateKey(privateKey))
  if (!certificate) throw new AppError('unavailable', 'LANYARD_ESIGN_P12 contains no certificate for its key')
  return {
    privateKey,
    certificate,
    chain: certificates.filter((one) => one !== certificate),
    isSelfSigned: certificate.checkIssued(certificate),
  }
}
