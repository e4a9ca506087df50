/** ESLint's `no-restricted-syntax` for oxlint, which has no rule of its own that takes selectors. */
import { builtinRules } from 'eslint/use-at-your-own-risk'

export default { meta: { name: 'syntax' }, rules: { forbidden: builtinRules.get('no-restricted-syntax') } }
