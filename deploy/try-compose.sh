#!/usr/bin/env bash
# Runs docker-compose.yml on the Docker engine of this machine, with the sandbox as the API and without the profile bi: the first sync, three
# workers, one of them killed, Postgres restarted, an upgrade. Prints each step with its result, and ends with 1 at the first failure. It
# works on a copy, under its own names, and removes everything except the images. If an image cannot be pulled, it builds a stand-in with the
# same commands from Debian packages, which needs root and debootstrap. COMPANY_CA names a company's own authority, as in .env.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

here=$PWD
copy=$(mktemp -d)
git ls-files -z | xargs -0 cp --parents --target-directory="$copy"
cd "$copy"
sed -i 's|image: storehouse:|image: storehouse-try:|' docker-compose.yml
printf 'api:\n  requests_per_second: 50\ngateway:\n  callers:\n    trial: {}\n' > config/storehouse.yaml
cat > .env << END
API_BASE_URL=http://sandbox:8080
API_TOKEN=sandbox-token
POSTGRES_PASSWORD='superuser/of@the:trial?#%1'
STOREHOUSE_LOADER_PASSWORD='loader/of@the:trial?#%1'
STOREHOUSE_READER_PASSWORD=reader-of-the-trial
STOREHOUSE_CONSOLE_PASSWORD=operator-of-the-trial
COMPANY_CA=${COMPANY_CA:-}
COMPOSE_PROFILES=sandbox,console,gateway
POSTGRES_PORT=55432
CONSOLE_PORT=59465
GATEWAY_PORT=59466
END
compose() { docker compose --progress quiet --project-name storehouse-try "$@"; }
trap 'cd /; compose --project-directory "$copy" down --volumes > /dev/null 2>&1 || true; rm -rf "$copy"' EXIT

failed() {
  echo FAILED
  compose ps --all
  compose logs --tail 20
  exit 1
}
# step WHAT COMMAND...: runs the command and prints how it ended
step() {
  printf '%-64s ' "$1"
  shift
  "$@" > "$copy/output" 2>&1 || { tail -20 "$copy/output"; failed; }
  echo ok
}
# waits at most five minutes for a command to succeed
await() {
  local end=$((SECONDS + 300))
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ]
    sleep 2
  done
}
query() { compose exec -T postgres psql -U storehouse -d storehouse -Atqc "$1"; }
is() { [ "$(query "$1")" = "$2" ]; }
containers() { docker ps --quiet --filter label=com.docker.compose.project=storehouse-try --filter "label=com.docker.compose.service=$1" "${@:2}"; }
healthy() { [ "$(containers "$1" --filter health=healthy | wc -l)" = "$2" ]; }
working="select count(*) from ops.worker where kind = 'worker' and stopped_at is null and heartbeat_at > now() - interval '15 s'"
# this many workers report that they can work, and the ledger has the same number
workers() { await healthy worker "$1" && await is "$working" "$1"; }

# --- images

debian_image() {
  docker image inspect stand-in/debian > /dev/null 2>&1 && return
  debootstrap --variant=minbase trixie root http://deb.debian.org/debian
  tar -C root -c . | docker import - stand-in/debian
  rm -rf root
}
node_image() {
  debian_image
  mkdir -p node/npm
  cp -L "$here/node_modules/node/bin/node" node/
  cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/../." node/npm
  docker build --network host --tag stand-in/node --file - node << 'END'
FROM stand-in/debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node
END
  rm -rf node
}
postgres_image() {
  debian_image
  mkdir postgres
  cat > postgres/entry << 'END'
#!/bin/sh
set -e
data=/var/lib/postgresql/17/docker
as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -s $data/PG_VERSION ]; then
  mkdir -p $data && chown -R postgres: /var/lib/postgresql
  echo "$POSTGRES_PASSWORD" > /tmp/password && chown postgres: /tmp/password
  as initdb --pgdata=$data --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >> $data/pg_hba.conf
  as pg_ctl --pgdata=$data --wait --options="-c listen_addresses=''" start
  as createdb --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
  as pg_ctl --pgdata=$data --wait stop
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D $data -c "listen_addresses=*"
END
  docker build --network host --tag stand-in/postgres --file - postgres << 'END'
FROM stand-in/debian
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-17
ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY --chmod=755 entry /entry
ENTRYPOINT ["/entry"]
# as the official image: sessions end, and nothing has to be recovered
STOPSIGNAL SIGINT
END
}
# image NAME FILE STAND-IN: pulls the image that FILE names, or builds a stand-in in its place
image() {
  local name
  name=$(sed -nE "s/.*(FROM|image:) ($1:[^ ]+).*/\2/p" "$2" | head -1)
  docker image inspect "$name" > /dev/null 2>&1 || docker pull --quiet "$name" > /dev/null 2>&1 && return
  step "$name cannot be pulled: a stand-in from Debian" "$3"
  sed -i "s|$name|stand-in/$1|" "$2"
}
image node Dockerfile node_image
image postgres docker-compose.yml postgres_image
step "the image is built" compose build worker
echo "it has $(($(docker image inspect --format '{{.Size}}' storehouse-try:0.1.0) / 1000000)) MB"

# --- a day in the life of it

step "up: Postgres, migrations and roles, sandbox, console" compose up --detach
step "the console and the sandbox are healthy" eval "await healthy console 1 && await healthy sandbox 1"
step "the worker spends nothing before a yes" is "select coalesce(sum(cost), 0) from ops.request" 0
step "the first sync" compose run --rm -T worker sync --yes
echo "it loaded $(query "select count(*) from core.fact_keyword_rank") ranks"
# of the days before today: after midnight a new one comes
counted="select count(*) from core.fact_keyword_rank where date_day < '$(date -u +%F)'"
ranks=$(query "$counted")
step "the worker works now" workers 1
key=$(compose run --rm -T worker gateway --new-key trial 2> /dev/null)
balance='fetch("http://127.0.0.1:9466/api-key?token='$key'").then((answer) => process.exit(answer.ok ? 0 : 1))'
step "the gateway starts once a caller has a key, and answers it" eval \
  'await healthy gateway 1 && compose exec -T gateway node -e "$balance"'
step "three workers" eval "echo WORKERS=3 >> .env && compose up --detach --no-recreate && workers 3"
end_one='for (const pid of require("fs").readdirSync("/proc").filter(Number))
  if (pid > 1 && require("fs").readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("bin/storehouse.js\0worker")) process.kill(pid, "SIGKILL")'
step "one is killed: found dead, and another in its place" eval \
  'docker exec "$(containers worker | head -1)" node -e "$end_one" && await is "select count(*) from ops.worker where ended_as = '"'died'"'" 1 && workers 3'
step "Postgres is restarted: all work again" eval "compose restart postgres && workers 3"
echo "create table ops.trial (one integer); comment on table ops.trial is 'Of the trial.';" > migrations/9999-trial.sql
step "an upgrade: a new image with another migration" eval \
  "compose up --detach --build && is 'select count(*) from ops.migration where name = \$\$9999-trial\$\$' 1 && workers 3"
step "status, from the new image" compose run --rm -T worker status
step "every rank is still there, and none came twice" is "$counted" "$ranks"
step "down" compose down --volumes
