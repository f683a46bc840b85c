#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Who may include whom, and the one home of each library: the table of the design as code.
use strict;
use warnings;
use Test::More;

use lib 'tests/lint';
use Lint;

my $base   = 'supervisor/base/';
my $worker = 'supervisor/worker/';

# The longest matching directory counts. tests/ may include anything.
my %may_include = (
    'supervisor/base/'   => [$base],
    'policy/'            => [$base, 'policy/'],
    'doctor/'            => [$base, 'policy/', 'doctor/'],
    'supervisor/worker/' => [$base, $worker, 'policy/policy.h', 'policy/rights.h',
                             'policy/baseset.h', 'policy/filter-bind.h'],
    'supervisor/'        => [$base, $worker, 'policy/', 'doctor/', 'supervisor/'],
);
my %home = (
    'seccomp.h'            => ['policy/mkcalls.c'],
    'systemd/sd-bus.h'     => ['supervisor/scope.c', 'supervisor/scope-properties.h',
                             'supervisor/scope-check.h', 'doctor/bus.h', 'doctor/manager.c'],
    'systemd/sd-journal.h' => ['supervisor/audit.c', 'supervisor/log.c'],
    'sha2.h'               => ['policy/digest.c'],
    'cjson/cJSON.h'        => ['policy/json-library.h', 'policy/json.h', 'policy/profile-internal.h'],
    'ini.h'                => ['policy/inifile.c'],
);
# policy/ is pure: no fork, no bus, no process state, no user database, no logging.
my $impure = qr{^(sys/(wait|socket|prctl|mount|ptrace|inotify|epoll|timerfd|signalfd)|sched|spawn
                 |signal|syslog|pwd|grp|systemd/.*|pthread)\.h$}x;
# The pager is not of a run.
my %may_fork = map { $_ => 1 } qw(supervisor/spawn.c supervisor/base/kernel.h supervisor/pager.c);

chomp(my @files = `tests/lint/sources c`);
my (%includes, @layer, @library, @root, @pure, @fork);
for my $file (@files) {
    open my $handle, '<', $file or die "$file: $!";
    my ($directory) = sort { length $b <=> length $a } grep { index($file, $_) == 0 } keys %may_include;
    my $text = do { local $/; <$handle> };
    while ($text =~ /^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]/mg) {
        my ($quote, $name) = ($1, $2);
        if ($quote eq '"') {
            # The attack programs stand alone: they are built in a guest, by themselves.
            push @root, "$file: \"$name\""
                unless ($name =~ m{/} && -e $name) || $file =~ m{^tests/adversarial/};
            push @{ $includes{$file} }, $name;
            next unless defined $directory;
            my $good = grep { index($name, $_) == 0 } @{ $may_include{$directory} };
            push @layer, "$file may not include \"$name\"" unless $good;
            push @pure, "$file: \"$name\"" if $directory eq 'policy/' && $name eq "${base}log.h";
        } else {
            next if $file =~ m{^tests/};
            push @library, "$file may not include <$name>"
                if $home{$name} && !grep { $_ eq $file } @{ $home{$name} };
            push @pure, "$file: <$name>"
                if defined $directory && $directory eq 'policy/' && $name =~ $impure;
        }
    }
    next if $file =~ m{^tests/} || $may_fork{$file};
    $text =~ s{/\*.*?\*/}{}gs;
    $text =~ s{"(\\.|[^"\\])*"}{""}g;
    push @fork, "$file: $1()" while $text =~ /\b(fork|vfork|clone|clone3|posix_spawnp?|pidfd_fork)\s*\(/g;
}

# Headers must not include each other in a circle.
my (@circle, %state);
sub visit {
    my ($file, @path) = @_;
    return if ($state{$file} // '') eq 'done';
    if (($state{$file} // '') eq 'open') {
        push @circle, join(' -> ', @path, $file);
        return;
    }
    $state{$file} = 'open';
    visit($_, @path, $file) for grep { /\.h$/ } @{ $includes{$file} // [] };
    $state{$file} = 'done';
}
visit($_) for grep { /\.h$/ } @files;

report('includes are written from the root',        @root);
report('each layer includes only what it may',      @layer);
report('each library has one home',                 @library);
report('policy/ is pure',                           @pure);
report('processes are made in one place',           @fork);
report('headers do not include each other in turn', @circle);
done_testing();
