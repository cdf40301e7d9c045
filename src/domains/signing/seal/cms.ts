import { createHash, createVerify, sign, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'
import type { SealKey } from './keys.ts'

const { asn1 } = forge
const { Class, Type } = asn1

const OIDS = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
} as const

type Node = forge.asn1.Asn1

const build = (type: number, value: string | Node[]): Node => asn1.create(Class.UNIVERSAL, type, typeof value !== 'string', value)
const sequence = (...value: Node[]) => build(Type.SEQUENCE, value)
const set = (...value: Node[]) => build(Type.SET, value)
const oid = (text: string) => build(Type.OID, asn1.oidToDer(text).getBytes())
const octets = (bytes: Buffer) => build(Type.OCTETSTRING, bytes.toString('binary'))
const tagged = (tag: number, value: Node[]) => asn1.create(Class.CONTEXT_SPECIFIC, tag, true, value)
const integer = (value: number) => build(Type.INTEGER, asn1.integerToDer(value).getBytes())
const algorithm = (name: string) => sequence(oid(name), build(Type.NULL, ''))
const parse = (der: Buffer): Node => asn1.fromDer(der.toString('binary'))
const toDer = (node: Node): Buffer => Buffer.from(asn1.toDer(node).getBytes(), 'binary')
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

const signAsync = promisify(sign)

/**
 * Creates a detached CMS signature with the attributes that PAdES baseline requires: content type, digest, and the signing certificate. The
 * time is in the signature's dictionary, not in the attributes.
 */
export async function createDetachedSignature(content: Buffer, { privateKey, certificate, chain }: SealKey): Promise<Buffer> {
  const attributes = [
    sequence(oid(OIDS.contentType), set(oid(OIDS.data))),
    sequence(oid(OIDS.messageDigest), set(octets(sha256(content)))),
    sequence(oid(OIDS.signingCertificateV2), set(sequence(sequence(sequence(octets(sha256(certificate.raw))))))),
  ].toSorted((a, b) => Buffer.compare(toDer(a), toDer(b)))
  return assemble({
    certificates: [certificate, ...chain],
    attributes,
    signature: await signAsync('sha256', toDer(set(...attributes)), privateKey),
  })
}

interface SignedParts {
  /** The certificate chain, starting with the certificate of the key. */
  certificates: readonly X509Certificate[]
  attributes: Node[]
  signature: Buffer
}

function assemble({ certificates, attributes, signature }: SignedParts): Buffer {
  const { issuer, serial } = readIssuer(certificates[0]!)
  const signer = sequence(
    integer(1),
    sequence(issuer, serial),
    algorithm(OIDS.sha256),
    tagged(0, attributes),
    algorithm(OIDS.rsa),
    octets(signature),
  )
  const signedData = sequence(
    integer(1),
    set(algorithm(OIDS.sha256)),
    sequence(oid(OIDS.data)),
    tagged(
      0,
      certificates.map(({ raw }) => parse(raw)),
    ),
    set(signer),
  )
  return toDer(sequence(oid(OIDS.signedData), tagged(0, [signedData])))
}

const children = (node: Node | undefined): Node[] => {
  if (!node || !Array.isArray(node.value)) throw new Error('not a structure')
  return node.value as Node[]
}
const bytesOf = (node: Node | undefined): Buffer => {
  if (!node || typeof node.value !== 'string') throw new Error('not a value')
  return Buffer.from(node.value, 'binary')
}

function readIssuer(certificate: X509Certificate): { issuer: Node; serial: Node } {
  const fields = children(children(parse(certificate.raw))[0])
  const offset = fields[0]!.tagClass === Class.CONTEXT_SPECIFIC ? 1 : 0
  return { serial: fields[offset]!, issuer: fields[offset + 2]! }
}

/**
 * Verifies a signature that `createDetachedSignature` created. Returns the signing certificate; null if the signature is not valid for these bytes.
 * The signature must equal the one encoded from its parts, so that bytes outside of the signed attributes cannot be changed either.
 */
export function verifyDetachedSignature(content: Buffer, cms: Buffer): X509Certificate | null {
  try {
    const signedData = children(children(children(parse(cms))[1])[0])
    const certificates = children(signedData[3]).map((node) => new X509Certificate(toDer(node)))
    const signer = children(children(signedData.at(-1))[0])
    const [attributes, signature] = [children(signer[3]), bytesOf(signer[5])]
    const certificate = certificates[0]!
    if (!readAttribute(attributes, OIDS.messageDigest).equals(sha256(content))) return null
    if (!readAttribute(attributes, OIDS.signingCertificateV2).equals(sha256(certificate.raw))) return null
    if (!assemble({ certificates, attributes, signature }).equals(cms)) return null
    const isValid = createVerify('sha256')
      .update(toDer(set(...attributes)))
      .verify(certificate.publicKey, signature)
    return isValid ? certificate : null
  } catch {
    // Bytes that cannot be parsed as a signature are an invalid signature.
    return null
  }
}

/** Returns the only value of an attribute in a signature in CMS (Cryptographic Message Syntax). */
function readAttribute(attributes: readonly Node[], name: string): Buffer {
  const found = attributes.find((one) => asn1.derToOid(bytesOf(children(one)[0]).toString('binary')) === name)
  let value = children(found)[1]
  while (value && Array.isArray(value.value)) value = value.value[0] as Node
  return bytesOf(value)
}
