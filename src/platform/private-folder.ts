import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Group and all others. */
const OTHERS = 0o077

/** Makes the folder, or closes the one that is there, so that only the account that runs the service gets at what is in it, whoever makes that and how. */
export async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await closeToOthers(folder)
}

/** What belongs to another account, or lies on a disk that cannot be changed, stays as it is: a start must not fail by it, and doctor tells. */
export async function closeToOthers(path: string): Promise<void> {
  if (!(await isOpen(path))) return
  const { mode } = await stat(path)
  await chmod(path, mode & 0o700).catch((error: NodeJS.ErrnoException) => {
    if (!['EPERM', 'EROFS', 'ENOTSUP'].includes(error.code ?? '')) throw error
  })
}

/** What other accounts of this computer get at. A closed folder closes all that is in it. */
export async function openToOthers(folder: string): Promise<string[]> {
  if (!(await isOpen(folder))) return []
  const inside = (await readdir(folder)).map((name) => join(folder, name))
  const open = await Promise.all(inside.map(async (path) => ((await isOpen(path)) ? [path] : [])))
  return [folder, ...open.flat()]
}

/** Windows has no such bits: there the folder's own rights, which it takes from the account's, decide. */
async function isOpen(path: string): Promise<boolean> {
  const found = process.platform === 'win32' ? null : await stat(path).catch(() => null)
  return found !== null && (found.mode & OTHERS) !== 0
}
