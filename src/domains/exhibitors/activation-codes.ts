import { randomBytes } from 'node:crypto'
import { type DerivedKeys, Secret } from '../../kernel/secrets.ts'

/** The characters of Crockford's base 32, which has no lookalike characters. */
const UNAMBIGUOUS_CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_BYTES = 10
const KEY_LABEL = 'activation code'

/** Encodes 80 random bits as 16 characters in groups of four. */
export function generateActivationCode(): Secret {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`)
  let code = ''
  for (let i = 0; i < 16; i++) {
    code = UNAMBIGUOUS_CHARACTERS[Number(bits & 31n)]! + code
    bits >>= 5n
  }
  return new Secret(code.replace(/(.{4})(?=.)/g, '$1-'))
}

/** Normalizes an activation code, because codes are compared without case and dashes. */
const normalizeCode = (code: Secret) => code.reveal().replaceAll('-', '').toUpperCase()

const sealContext = (companyId: string) => `company ${companyId}`

/**
 * The database columns of an activation code: the encrypted code, so that authorized users can see it again, and its HMAC, to find the
 * company by the code.
 */
export const toActivationCodeColumns = (keys: DerivedKeys, companyId: string, code: Secret) => ({
  activation_code: keys.seal(KEY_LABEL, code.reveal(), sealContext(companyId)),
  activation_hmac: keys.sign(KEY_LABEL, normalizeCode(code)),
})

/**
 * The HMACs by which an activation code is found in the database: one for each master key, because there are several during a key rotation.
 */
export const computeActivationCodeHmacs = (keys: DerivedKeys, code: Secret): string[] => keys.listSignatures(KEY_LABEL, normalizeCode(code))

/** Decrypts the activation code of a company, for users who may see it. */
export function decryptActivationCode(keys: DerivedKeys, company: { id: string; activation_code: string }): Secret {
  const opened = keys.open(KEY_LABEL, company.activation_code, sealContext(company.id))
  if (!opened) throw new Error(`the activation code of company ${company.id} cannot be decrypted`)
  return new Secret(opened.toString('utf8'))
}
