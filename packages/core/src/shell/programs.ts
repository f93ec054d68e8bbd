import { readCues } from '../text/read-cues.ts'

/** Programs by purpose. `go:test,vet` means only these subcommands of `go`. */
const text = `
# What a check checks.
test:
  vitest jest mocha ava tape pytest py.test tox nox nose2 unittest rspec minitest phpunit pest ctest
  bats karma cypress ginkgo gotestsum behave cucumber busted prove trial wtr Invoke-Pester testcafe
  robot go:test cargo:test,t,nextest,miri dotnet:test swift:test zig:test mix:test deno:test
  flutter:test,drive dart:test playwright:test node:--test rails:test,spec artisan:test forge:test
  hardhat:test ng:test,e2e meson:test bazel:test,coverage stack:test cabal:test dune:test,runtest
  lein:test sbt:test,testOnly gleam:test
build:
  ninja tsup tsdown rollup webpack esbuild parcel xcodebuild javac rustc gcc g++ clang clang++ cc hugo
  go:build cargo:build,b dotnet:build,publish,pack swift:build zig:build mix:compile
  deno:compile,bundle flutter:build dart:compile forge:build hardhat:compile vite:build next:build
  nuxt:build astro:build ng:build react-router:build docker:build,buildx meson:compile bazel:build
  stack:build cabal:build dune:build lein:uberjar,compile sbt:compile,package,assembly gleam:build
  mkdocs:build jekyll:build xcrun:xcodebuild
lint:
  eslint prettier oxlint stylelint flake8 pylint black isort golangci-lint gofmt gofumpt goimports
  staticcheck rustfmt shellcheck shfmt hadolint markdownlint markdownlint-cli2 rubocop standardrb
  phpcs phpcbf php-cs-fixer pint ktlint detekt swiftlint swiftformat clang-tidy clang-format cppcheck
  yamllint actionlint tflint commitlint knip dprint xo vale bandit pre-commit buf autopep8 yapf
  ansible-lint cpplint go:vet,fmt cargo:clippy,fmt dotnet:format zig:fmt mix:format,credo
  deno:lint,fmt flutter:analyze,format dart:analyze,format ruff:check,format
  biome:check,lint,format,ci forge:fmt terraform:fmt,validate tofu:fmt,validate next:lint ng:lint
  gleam:format helm:lint
typecheck:
  tsc vue-tsc svelte-check mypy dmypy pyright basedpyright pyre phpstan psalm dialyzer tsgo attw
  cargo:check,c mix:dialyzer deno:check ty:check srb:tc flow:check nuxt:typecheck astro:check
  react-router:typegen gleam:check
# Words of a task that a project names.
task typecheck:
  typecheck tsc mypy pyright typescript
task lint:
  lint linter linting eslint format fmt prettier biome style clippy vet ruff stylelint ktlint spotless
  rubocop
task test:
  test tests testing spec specs e2e vitest jest pytest unit integration coverage cov smoke ci t verify
  verification validate validation
task build:
  build compile bundle assemble package dist
# Without an effect of their own.
silent:
  cd pushd popd echo printf export set unset source . sleep true false : exit return wait trap alias
  shopt ulimit read pwd clear break continue local declare typeset mkdir Set-Location Write-Output
  Write-Host Join-Path foreach elseif try catch finally param
# They show or filter what is there.
looks:
  cat bat ls ll dir tree head tail less more nl wc grep egrep fgrep rg ag ack sed awk gawk sort uniq
  tr cut tee xargs jq yq column paste diff cmp find fd stat file du df test [ [[ which type command
  whoami env printenv date basename dirname realpath readlink tac rev hexdump xxd strings comm fold
  md5sum sha256sum shasum seq lsof ps Out-String
# They move and remove files and end processes.
places:
  rm cp mv touch chmod chown ln mktemp kill pkill killall mkfifo rmdir Remove-Item Copy-Item Move-Item
  New-Item
further:
  curl wget ssh scp rsync psql mysql sqlite3 mongosh redis-server tar zip unzip sudo nohup env time
  open xdg-open code gcc g++ clang java javac source mkdir cd systemctl journalctl crontab nginx
  ffmpeg pandoc xcodebuild adb emulator
# They take a subcommand; after the colon, options before it that take a value.
subcommands:
  git:-C,-c,--git-dir,--work-tree npm:--prefix,-w,--workspace,-C pnpm:--filter,-F,-C,--dir yarn:--cwd
  bun:--cwd,--filter make:-C,-f,-I docker:-H,--context,-f docker-compose:-f gh:-R,--repo go:-C uv:--project,--directory
  gradle:-p mvn:-f,-pl,-P kubectl:-n,--namespace,--context glab deno cargo podman helm
  mise just task rake rails mix dotnet swift zig poetry pip pip3 pipx pdm hatch terraform tofu aws
  gcloud az brew apt apt-get dnf yum systemctl flyctl fly heroku vercel wrangler supabase prisma bazel
  nx turbo lerna rush composer bundle gem flutter dart sbt stack cabal lein nix conda golangci-lint
  ruff biome vite next nuxt astro ng playwright cypress vitest react-router react-scripts drizzle-kit
  changeset changie tmux launchctl redis-cli op gt jj hg svn sl cmake meson dune forge hardhat gradlew
  mvnw lefthook husky pre-commit buf sqlc goose migrate alembic flask django-admin celery ansible
  vagrant expo eas ionic cap pod fastlane xcrun rustup nvm fnm volta asdf pyenv rbenv entire claude
  codex gemini
# Subcommands that have subcommands.
nested:
  npm:run,run-script pnpm:run yarn:run bun:run deno:run,task mise:run uv:pip
  docker:compose,image,container,volume,network,buildx
  gh:pr,issue,run,repo,release,workflow,auth,project go:mod,tool,work cargo:nextest
  git:stash,worktree,remote,submodule,bisect
# They start another program. After the colon: a subcommand that does; how many words come before the command, 9 for all up
# to two dashes; an option that takes a value.
runners:
  npx bunx pnpx uvx cross-env c8 nyc nodemon pipx:run npm:exec,x pnpm:exec,dlx yarn:exec,dlx bun:x
  uv:run poetry:run pipenv:run pdm:run hatch:run rye:run conda:run pixi:run bundle:exec lerna:exec
  docker:exec,run,1,-v,-w,-e,-u,-p,-l,-h,-m,--name,--env,--user,--workdir,--volume,--network,--platform,--env-file
  podman:exec,run,1,-v,-w,-e,-u,-p,--name,--env,--user,--workdir,--volume,--network
  docker-compose:exec,run,1,-v,-w,-e,-u,-p,--name,--env,--user,--workdir,--volume,--index
  kubectl:exec,9,-n,-c distrobox:enter,1 toolbox:run heroku:run,-a ddev:exec
  devcontainer:exec,--workspace-folder
# They change how a program runs, in the same files.
wrappers:
  sudo:-u,-g,-C,-h,-p doas:-u,-C env:-u,-C,-S timeout:1,-s,-k,--signal,--kill-after
  gtimeout:1,-s,-k,--signal,--kill-after time:-f,-o nice:-n ionice:-c,-n,-p nohup setsid stdbuf:-i,-o,-e
  caffeinate:-t,-w unbuffer xvfb-run:-n,-s,-e command builtin exec:-a noglob rtk runuser:-u gosu:1 su-exec:1
  chrt:1 taskset:-c flock:1,-w strace:-o,-e,-p ltrace:-o,-e chronic fakeroot arch systemd-run:-p,-u,-t
  direnv:exec,1 nix:develop,shell,9 guix:shell,9 devbox:run,9 devenv:shell,9 flox:activate,9 mise:exec,x,9
  asdf:exec rbenv:exec pyenv:exec volta:run,--node nvm:exec,1 fnm:exec,--using opam:exec stack:exec cabal:exec
  dotenv:-e,-f env-cmd:-f dotenvx:run,-f op:run doppler:run,-p,-c infisical:run aws-vault:exec,1 wsl:-d,-u
`

const groups = new Map(
  readCues(text).map(({ heading, patterns }) => [heading, patterns.join(' ').split(' ')] as const),
)

export function namesOf(group: string): readonly string[] {
  return groups.get(group) ?? []
}

/** Returns the names of a group, each with the words after its colon. */
export function wordsByName(group: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    namesOf(group).map((entry) => {
      const [name = '', words] = entry.split(':')
      return [name, words?.split(',') ?? []] as const
    }),
  )
}
