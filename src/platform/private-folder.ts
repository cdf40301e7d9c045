import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Permission bits of group and others. */
const GROUP_AND_OTHERS = 0o077

/** Creates the folder, or restricts an existing one, so that only the service's account can access its content. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await restrictFileAccess(folder)
}

/**
 * Restricts a path to the service's account. Files of another account or on a read-only disk are left unchanged, because they must not
 * prevent the start; `doctor` reports them.
 */
export async function restrictFileAccess(path: string): Promise<void> {
  if (!(await isAccessibleToOthers(path))) return
  const { mode } = await stat(path)
  await chmod(path, mode & 0o700).catch((error: NodeJS.ErrnoException) => {
    if (!['EPERM', 'EROFS', 'ENOTSUP'].includes(error.code ?? '')) throw error
  })
}

/** Lists the paths in a folder that other accounts on this computer can access. If they cannot access the folder, the list is empty. */
export async function listPathsAccessibleToOthers(folder: string): Promise<string[]> {
  if (!(await isAccessibleToOthers(folder))) return []
  const inside = (await readdir(folder)).map((name) => join(folder, name))
  const open = await Promise.all(inside.map(async (path) => ((await isAccessibleToOthers(path)) ? [path] : [])))
  return [folder, ...open.flat()]
}

/** Whether other accounts can access the path. Windows has no such permission bits; there the folder inherits the rights of the account. */
async function isAccessibleToOthers(path: string): Promise<boolean> {
  const found = process.platform === 'win32' ? null : await stat(path).catch(() => null)
  return found !== null && (found.mode & GROUP_AND_OTHERS) !== 0
}
