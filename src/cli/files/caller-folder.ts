/** The folder in which the user typed the command; npm itself moves to the project's root. */
export function callerFolder(): string {
  return process.env['INIT_CWD'] ?? process.cwd()
}
