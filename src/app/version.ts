/** The app's version, put in by the build. */
declare const __APP_VERSION__: string

export const appVersion: string = typeof __APP_VERSION__ === 'undefined' ? 'development' : __APP_VERSION__
