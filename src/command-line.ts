import { parseArgs } from 'node:util'
import { sendCommandToRunningService } from './command-socket.ts'
import { type Command, type CommandInput, type CommandResult, suggestNearestName, UsageError } from './commands/command.ts'
import { AppError } from './kernel/errors.ts'
import { readEnvironment, SettingError } from './platform/environment.ts'
import { DirectoryInUseError } from './platform/directory-lock.ts'

/** Functions that load the module of a command on demand, by command name, because each command needs only a part of the program. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  account: async () => (await import('./commands/account.ts')).accountCommand,
  catalog: async () => (await import('./commands/catalog.ts')).catalogCommand,
  feedback: async () => (await import('./commands/feedback.ts')).feedbackCommand,
}

const EXIT_CODES = 'Exit code: 0 success, 1 failure, 2 invalid usage.'
const START_HELP = ['lanyard start', '', '  run the service (same as npm start)'].join('\n')

async function formatHelp(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  return [
    'lanyard <command> [--json]',
    '',
    '  start',
    '      run the service (same as npm start)',
    ...commands.flatMap(({ usage, summary }) => [...usage.map((form) => `  ${form}`), `      ${summary}`]),
    '',
    'lanyard <command> --help explains a command and its options.',
    EXIT_CODES,
  ].join('\n')
}

function formatCommandHelp({ usage, summary, options = {}, needsStoppedService }: Command): string {
  const described = [
    ...Object.entries(options).map(([name, { value, help }]) => [`--${name}${value === null ? '' : ` ${value}`}`, help] as const),
    ['--json', 'prints the result as JSON'] as const,
  ]
  const width = Math.max(...described.map(([option]) => option.length))
  return [
    ...usage.map((form) => `lanyard ${form}`),
    '',
    `  ${summary}`,
    '',
    'Options:',
    ...described.map(([option, help]) => `  ${option.padEnd(width)}  ${help}`),
    '',
    ...(needsStoppedService ? ['Stop the service before you run this command.'] : []),
    EXIT_CODES,
  ].join('\n')
}

/** The output of a command and its exit code. */
export interface CommandOutput {
  text: string
  data: unknown
  exit: 0 | 1 | 2
}

const isHelp = (word: string | undefined) => word === 'help' || word === '--help' || word === '-h'
const findCommand = (name: string | undefined) => (name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined)

/** `lanyard <command>`: runs the command, prints its result and sets the exit code. */
export async function runCommandLine([name, ...rest]: string[]): Promise<void> {
  if (name === 'start' && !rest.some(isHelp)) return (await import('./serve.ts')).serveUntilStopped()
  const { text, data, exit } = await runNamed(name, rest)
  if (rest.includes('--json')) process.stdout.write(`${JSON.stringify(data)}\n`)
  else if (exit > 0 && data !== null && typeof data === 'object' && 'error' in data) process.stderr.write(`${text}\n`)
  else process.stdout.write(`${text}\n`)
  process.exitCode = exit
}

async function runNamed(name: string | undefined, args: readonly string[]): Promise<CommandOutput> {
  if (name === undefined || isHelp(name)) {
    const command = args.find((word) => !word.startsWith('-'))
    return command === undefined ? toHelp(await formatHelp()) : runNamed(command, ['--help'])
  }
  if (name === 'start') return toHelp(START_HELP)
  const load = findCommand(name)
  if (!load) {
    const near = suggestNearestName(name, ['start', ...Object.keys(COMMANDS)])
    return toFailure(`Unknown command ${JSON.stringify(name)}.${near ? ` ${near}` : ''} \`lanyard help\` lists all commands.`, 2)
  }
  if (args.some((word) => word === '--help' || word === '-h')) return toHelp(formatCommandHelp(await load()))
  const environment = tryReadEnvironment()
  if (environment instanceof SettingError) return toFailure(environment.message, 1)
  try {
    return await executeNamedCommand(name, args, { environment })
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error
    if ((await load()).needsStoppedService) return toFailure(formatStopFirst(environment.dataDir), 1)
    const output = await sendCommandToRunningService(environment.dataDir, { name, args, folder: process.cwd() })
    return output ?? toFailure(formatStopFirst(environment.dataDir), 1)
  }
}

function tryReadEnvironment() {
  try {
    return readEnvironment(process.env, process.stdout.isTTY)
  } catch (error) {
    if (error instanceof SettingError) return error
    throw error
  }
}

const formatStopFirst = (dataDir: string) =>
  `The data folder ${dataDir} is in use by another Lanyard process. Stop it (Ctrl+C in its terminal), run this command again, then start it again. With PostgreSQL (DATABASE_URL), most commands also run beside it.`

const toHelp = (text: string): CommandOutput => ({ text, data: { help: text }, exit: 0 })
const toFailure = (text: string, exit: 1 | 2): CommandOutput => ({ text, data: { error: text }, exit })
const toOutput = ({ text, data, failed }: CommandResult): CommandOutput => ({ text, data, exit: failed ? 1 : 0 })

/**
 * Runs a command by its name, for this process or for another process that sent the command to the running service. Throws
 * `DirectoryInUseError` and unexpected errors.
 */
export async function executeNamedCommand(
  name: string,
  args: readonly string[],
  given: Omit<CommandInput, 'words' | 'flags'>,
): Promise<CommandOutput> {
  const command = await findCommand(name)!()
  const described = command.options ?? {}
  try {
    const options = Object.fromEntries([
      ...Object.entries(described).map(([option, { value }]) => [option, { type: value === null ? 'boolean' : 'string' }] as const),
      ['json', { type: 'boolean' }] as const,
    ])
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return toOutput(await command.run({ ...given, words: positionals, flags: values as Record<string, string | boolean> }))
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    const usage = command.usage.map((form) => `  lanyard ${form}`).join('\n')
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return toFailure(`${formatUnknownOption(args, described)}\n\n${usage}`, 2)
    if (error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')) return toFailure(`${message}\n\n${usage}`, 2)
    if (error instanceof AppError || error instanceof SettingError) return toFailure(message, 1)
    throw error
  }
}

function formatUnknownOption(args: readonly string[], options: NonNullable<Command['options']>): string {
  const known = ['json', ...Object.keys(options)]
  const names = args.flatMap((arg) => /^--?([^=]+)/.exec(arg)?.[1] ?? [])
  const unknown = names.find((name) => !known.includes(name)) ?? ''
  return `Unknown option --${unknown}. ${suggestNearestName(unknown, known)?.replace('mean ', 'mean --') ?? `Options are ${known.map((name) => `--${name}`).join(', ')}.`}`
}
